"""Links for one use: to sign an account in without its password, and to choose a first password."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, TimestampSigner
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.roles import find_account, grant_role
from surveys.errors import AccessRefused
from surveys.models import Role, Study

LIFETIME = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
INVITED_FOR = timedelta(days=7)
_INVITATIONS = TimestampSigner(salt="surveys.account_invitations")


class _Tokens(PasswordResetTokenGenerator):
    """Tokens that expire at the next sign-in, a new password or after `PASSWORD_RESET_TIMEOUT`."""

    key_salt = "surveys.sign_in_links"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        """Hash the last sign-in to the microsecond, since Django drops fractions of a second."""
        last: datetime | None = user.last_login
        return f"{user.pk}{user.password}{last and last.isoformat()}{timestamp}"


_tokens = _Tokens()


def make_sign_in_link(username: str) -> str:
    """Return a link that signs an account in once. Raises AccessRefused for an unknown name."""
    user = find_account(username)
    record("account.link_made", None, user.get_username())
    return _write_link(user, "console:sign_in_link")


def make_reset_link(user: User) -> str:
    """Return a link to choose a new password once."""
    return _write_link(user, "console:reset_password")


def find_linked_account(user_id: int, token: str) -> User | None:
    """Return the account of a link, or None if it was used, has expired or is invalid."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    return user if user and _tokens.check_token(user, token) else None


def use_sign_in_link(user_id: int, token: str) -> User | None:
    """Return the account of a link and invalidate it, within the caller's transaction."""
    User.objects.select_for_update(no_key=True).filter(pk=user_id).first()  # two tabs may use it
    user = find_linked_account(user_id, token)
    if user is not None:
        user.last_login = timezone.now()
        user.save(update_fields=["last_login"])
        record("account.link_used", None, user.get_username())
    return user


@transaction.atomic
def invite_account(study: Study, username: str, role: Role) -> str:
    """Create an account with a role; return the link to choose its password.

    The link works for seven days, until a password is chosen. Raises AccessRefused for a name that
    is taken or invalid.
    """
    user = User(username=username.strip())
    user.set_unusable_password()
    try:
        user.full_clean(exclude=["password"])
    except ValidationError as error:
        raise AccessRefused(" ".join(error.messages)) from error
    user.save()
    record("account.invited", study, user.get_username())
    grant_role(study, user, role)
    path = reverse("console:choose_password", args=[_INVITATIONS.sign(str(user.pk))])
    return f"{settings.SITE_URL}{path}"


def _write_link(user: User, page: str) -> str:
    return settings.SITE_URL + reverse(page, args=[user.pk, _tokens.make_token(user)])


def find_invited_account(token: str) -> User | None:
    """Return the account of an invitation, or None if it has a password or the link expired."""
    try:
        user_id = _INVITATIONS.unsign(token, max_age=INVITED_FOR)
    except BadSignature:
        return None
    user = User.objects.filter(pk=user_id, is_active=True).first()
    return user if user and not user.has_usable_password() else None
