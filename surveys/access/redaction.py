"""Personal data → what those may see who may not see it, and what takes its place once dropped."""

import re
from typing import Any

from django.utils.crypto import salted_hmac

from surveys.models.recruitment import PROVIDER_ID, WORKER_ID

_PART = r"[^@\s<>\"',;]"
# From where a part begins, and nowhere within it: a long text without an @ is read once.
ADDRESS = re.compile(rf"(?<!{_PART}){_PART}+@{_PART}+\.{_PART}+")
_PROVIDER_ID = re.compile(rf"\b(?:(?i:{PROVIDER_ID})|{WORKER_ID})\b")


def mask_note(note: str) -> str:
    """A note in which an e-mail address or a provider's id may stand, for who may not see it.

    >>> mask_note("ana@example.org"), mask_note("class 2b, no. 7"), mask_note("")
    ('a…@…', 'class 2b, no. 7', '')
    >>> mask_note("0123456789abcdef01234567")
    '…'
    """
    return f"{note[0]}…@…" if "@" in note else mask_text(note)


def mask_text(text: str) -> str:
    """What somebody wrote, such as a reason, without addresses and providers' ids.

    >>> mask_text("asked by ana@example.org, 0123456789abcdef01234567")
    'asked by a…@…, …'
    >>> mask_text("worker A1B2C3D4E5F6G7 wrote twice")
    'worker … wrote twice'
    """
    return _PROVIDER_ID.sub("…", ADDRESS.sub(lambda found: f"{found[0][0]}…@…", text))


def mask_details(details: Any) -> Any:
    """Details of an entry of the log with every text in them masked."""
    if isinstance(details, dict):
        return {name: mask_details(detail) for name, detail in details.items()}
    if isinstance(details, list):
        return [mask_details(detail) for detail in details]
    return mask_text(details) if isinstance(details, str) else details


def digest_in_study(study_id: int, kind: str, text: str) -> str:
    """What takes the place of an id or a note: the same for the same text in the same study.

    Keyed with the site's secret, so that it tells nothing to who holds the database alone.
    """
    salt = f"surveys.masking.{kind}.{study_id}"  # stored digests hang on it: never change it
    return salted_hmac(salt, text, algorithm="sha256").hexdigest()
