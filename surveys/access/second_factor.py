"""The second factor of an account: codes of an app, and recovery codes if the app is lost."""

from secrets import token_hex

from django.contrib.auth.models import User
from django.db import transaction
from django_otp import match_token
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from surveys.access.audit_log import record
from surveys.errors import AccessRefused

N_RECOVERY_CODES = 10
KEY_BYTES = 20  # RFC 4226 recommends 160 bits


def make_key() -> str:
    """Return the key of a new app, in hexadecimal."""
    return token_hex(KEY_BYTES)


def make_device(user: User, key: str) -> TOTPDevice:
    """Return the app of an account, unstored."""
    return TOTPDevice(user=user, name="app", key=key)


def has_second_factor(user: User) -> bool:
    """Return whether sign-ins to an account require a code."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


@transaction.atomic
def add_second_factor(user: User, key: str, code: str) -> list[str]:
    """Require codes of an app from now on; return the recovery codes.

    Raises AccessRefused for a wrong code, and if the account has a second factor.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two tabs may add one
    if has_second_factor(user):
        raise AccessRefused("The account has a second factor already. Remove it first.")
    if not make_device(user, key).verify_token(code):  # which stores it if the code is right
        raise AccessRefused("The app shows another code. Is the time of your telephone right?")
    record("account.factor_added", None, user.get_username())
    return _make_recovery_codes(user)


@transaction.atomic
def renew_recovery_codes(user: User) -> list[str]:
    """Replace the recovery codes of an account and return them."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    record("account.codes_renewed", None, user.get_username())
    return _make_recovery_codes(user)


@transaction.atomic
def remove_second_factor(user: User) -> bool:
    """Require only the password from now on; return whether the account had a second factor."""
    n_removed, _ = TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    if n_removed:
        record("account.factor_removed", None, user.get_username())
    return bool(n_removed)


def use_code(user: User, code: str) -> bool:
    """Use up a code of the app or a recovery code; return whether it was right."""
    device = match_token(user, code.replace(" ", "").lower())
    if isinstance(device, StaticDevice):
        record("account.recovery_code_used", None, user.get_username())
    return device is not None


def count_recovery_codes(user: User) -> int:
    """Return the number of unused recovery codes of an account."""
    return int(StaticToken.objects.filter(device__user=user).count())


def _make_recovery_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes")
    codes = [StaticToken.random_token() for _ in range(N_RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes
