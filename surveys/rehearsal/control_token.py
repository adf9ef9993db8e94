from django.utils.crypto import salted_hmac

SALT = "surveys.mturk.control_token"
LENGTH = 32


def control_token() -> str:
    """Return the token that this site's MTurk simulator asks for on its control page.

    It follows from `SECRET_KEY`, so that site and simulator agree on it without a file.
    """
    return salted_hmac(SALT, "", algorithm="sha256").hexdigest()[:LENGTH]


def control_link(simulator_url: str) -> str:
    """Return the address at which a browser opens the control page of a simulator."""
    return f"{simulator_url}/control/?token={control_token()}"
