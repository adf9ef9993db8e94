"""Sign-in links: an operator creates one to sign an account in once, without its password."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.roles import find_account

LIFETIME = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


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
    path = reverse("console:sign_in_link", args=[user.pk, _tokens.make_token(user)])
    record("account.link_made", None, user.get_username())
    return f"{settings.SITE_URL}{path}"


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
