"""E-mail addresses of accounts: links to choose a new password, and single sign-on.

A request for a link is answered and stored alike whether or not an account has the address, so
that neither the page nor its time tells. The job looks the accounts up and forgets the address.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db import transaction

from surveys.access.audit_log import record
from surveys.access.redaction import mask_text
from surveys.access.sign_in_limits import RESET_LIMIT, take_check
from surveys.access.sign_in_links import make_reset_link
from surveys.errors import AccessRefused, MailRefused, TryLater
from surveys.models import Job
from surveys.operations.mail_server import send_message, sends_mail

LETTER = """You, or somebody else, asked for a new password for {name} at {site}.

To choose one, open this link within an hour; it works once:

{link}

If you did not ask for it, do nothing: your password stays as it is.
"""


@dataclass(frozen=True)
class ResetRequest:
    """The address that a visitor entered."""

    address: str


@transaction.atomic
def change_address(user: User, address: str) -> None:
    """Set the address of an account; empty for none."""
    user.email = address
    user.save(update_fields=["email"])
    record("account.address_changed", None, user.get_username())


def send_resets(job: Job, progress: Callable[[str, int, int], None]) -> Callable[[], object]:
    """Send a link to each account with a job's address. Raises MailRefused, or TryLater."""
    address = ResetRequest(**job.request).address
    accounts = User.objects.filter(is_active=True, limited_account=None, email__iexact=address)
    for user in accounts if sends_mail() else []:
        if not take_check({f"resets of account {user.pk}": RESET_LIMIT}):
            _send(user)
    return lambda: Job.objects.filter(pk=job.pk).update(request={})


def _send(user: User) -> None:
    name = user.get_username()
    letter = LETTER.format(name=name, site=settings.SITE_URL, link=make_reset_link(user))
    message = EmailMessage(
        "A new password", letter, settings.DEFAULT_FROM_EMAIL, [user.email],
        headers={"Auto-Submitted": "auto-generated"},
    )  # fmt: skip
    if refusal := send_message(message):
        error = mask_text(refusal.error)
        raise TryLater(error) if refusal.is_temporary else MailRefused(error)
    record("account.reset_sent", None, name)


@transaction.atomic
def find_or_make_account(claims: Mapping[str, Any]) -> User:
    """Return the one account with the address of a provider's claims, or make it.

    A new account has no role, and only `OIDC_STRANGERS` makes one. Raises AccessRefused, with the
    same message for an unknown, an inactive and an ambiguous address.
    """
    address = str(claims.get("email") or "")
    if not address or claims.get("email_verified") is not True:
        raise AccessRefused("The sign-in service did not say that your e-mail address is verified.")
    refused = AccessRefused(
        f"No account of this site can be opened as {address}. Ask an operator for one."
    )
    accounts = list(User.objects.filter(email__iexact=address, limited_account=None)[:2])
    if accounts or not settings.OIDC_STRANGERS:
        if len(accounts) != 1 or not accounts[0].is_active:
            raise refused
        return accounts[0]
    user = User(username=address, email=address)
    user.set_unusable_password()
    try:
        user.full_clean(exclude=["password"])
    except ValidationError as error:
        raise refused from error
    user.save()
    record("account.made", None, user.get_username())
    return user
