"""The token of the MTurk simulator's control page."""

from django.utils.crypto import salted_hmac

SALT = "surveys.mturk.control_token"
LENGTH = 32


def control_token() -> str:
    """Return the token of the MTurk simulator's control page.

    It is derived from `SECRET_KEY`, so that site and simulator agree on it without a file.
    """
    return salted_hmac(SALT, "", algorithm="sha256").hexdigest()[:LENGTH]


def control_link(simulator_url: str) -> str:
    """Return the URL of a simulator's control page, with the token."""
    return f"{simulator_url}/control/?token={control_token()}"
