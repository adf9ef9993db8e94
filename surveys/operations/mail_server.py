"""Messages handed to the operator's SMTP server, and why the server refused them."""

from smtplib import SMTPRecipientsRefused, SMTPResponseException
from typing import Any, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

BACKEND = "django.core.mail.backends.smtp.EmailBackend"
INTERRUPTED = "The connection broke off while it was being sent; it may have arrived."


class Refusal(NamedTuple):
    """Why an e-mail was not sent, and whether a later attempt may succeed."""

    error: str
    is_temporary: bool


def sends_mail() -> bool:
    """Return whether the operator has configured an SMTP server."""
    return bool(settings.EMAIL_HOST)


def send_message(message: EmailMessage) -> Refusal | None:
    """Send a message once; return why it was not sent, or None."""
    connection: Any = get_connection(BACKEND, timeout=settings.EMAIL_TIMEOUT)
    try:
        connection.open()
    except OSError as error:
        return Refusal(f"The server was not reached: {error}", is_temporary=True)
    try:
        connection.send_messages([message])
    except SMTPRecipientsRefused as error:
        return _read_reply(*next(iter(error.recipients.values())))
    except SMTPResponseException as error:
        return _read_reply(error.smtp_code, error.smtp_error)
    except OSError:
        return Refusal(INTERRUPTED, is_temporary=False)
    except ValueError as error:
        return Refusal(f"The address is not valid: {error}", is_temporary=False)
    finally:
        connection.close()
    return None


def _read_reply(code: int, text: bytes | str) -> Refusal:
    """Return the refusal of a server; a code below 500 is temporary."""
    reply = text.decode(errors="replace") if isinstance(text, bytes) else text
    return Refusal(f"The server refused it: {code} {reply}", is_temporary=code < 500)
