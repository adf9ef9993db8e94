"""Masks for personal data on pages and in files, and digests that replace dropped data."""

import re
from typing import Any

from django.utils.crypto import salted_hmac

from surveys.models.recruitment import PROVIDER_ID, WORKER_ID

_PART = r"[^@\s<>\"',;]"
# Starts at the beginning of a part only, so that a long text without an @ is read once.
ADDRESS = re.compile(rf"(?<!{_PART}){_PART}+@{_PART}+\.{_PART}+")
_PROVIDER_ID = re.compile(rf"\b(?:(?i:{PROVIDER_ID})|{WORKER_ID})\b")


def mask_note(note: str) -> str:
    """Return a note with e-mail addresses and provider ids masked.

    >>> mask_note("ana@example.org"), mask_note("class 2b, no. 7"), mask_note("")
    ('a…@…', 'class 2b, no. 7', '')
    >>> mask_note("0123456789abcdef01234567")
    '…'
    """
    return f"{note[0]}…@…" if "@" in note else mask_text(note)


def mask_text(text: str) -> str:
    """Return free text, such as a reason, with e-mail addresses and provider ids masked.

    >>> mask_text("asked by ana@example.org, 0123456789abcdef01234567")
    'asked by a…@…, …'
    >>> mask_text("worker A1B2C3D4E5F6G7 wrote twice")
    'worker … wrote twice'
    """
    return _PROVIDER_ID.sub("…", ADDRESS.sub(lambda match: f"{match[0][0]}…@…", text))


def mask_details(details: Any) -> Any:
    """Return the details of a log entry with all texts masked."""
    if isinstance(details, dict):
        return {name: mask_details(detail) for name, detail in details.items()}
    if isinstance(details, list):
        return [mask_details(detail) for detail in details]
    return mask_text(details) if isinstance(details, str) else details


def digest_in_study(study_id: int, kind: str, text: str) -> str:
    """Return a digest that replaces an id or note: equal for equal texts of a study.

    Keyed with the site's secret key, so that the database alone does not reveal the text.
    """
    salt = f"surveys.masking.{kind}.{study_id}"  # stored digests depend on it: never change it
    return salted_hmac(salt, text, algorithm="sha256").hexdigest()
