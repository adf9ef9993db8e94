"""Invitation and reminder mails: validation of a study's text, and its completion for one person.

The first line is the subject. A line of the body is left out if one of its placeholders has no
value, such as {contact} in a study without a contact.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from surveys.errors import TextRefused
from surveys.models import TextKind

PLACEHOLDERS = {
    "link": "the personal link",
    "title": "the study's title for annotators",
    "minutes": "about how many minutes it takes",
    "pay": "the pay",
    "contact": "the study's contact",
    "no_mail": "the link with which its recipient asks for no more e-mails",
}
PLACEHOLDER = re.compile(r"\{([^{}\n]*)\}")
MAX_SUBJECT_LENGTH = 150
SPACES = re.compile(r" {2,}")
EMPTY_LINES = re.compile(r"\n{3,}")


class Letter(NamedTuple):
    """A mail to one person, in plain text."""

    subject: str
    body: str


def check_letter(kind: TextKind, text: str) -> None:
    """Raise TextRefused, with advice, unless a text is a mail with a link in it."""
    subject, body = _divide(text)
    unknown = sorted(set(PLACEHOLDER.findall(text)) - set(PLACEHOLDERS))
    if unknown:
        allowed = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        wrong = ", ".join(f"{{{name}}}" for name in unknown)
        raise TextRefused(f"{kind}: unknown placeholder {wrong}; use {allowed}.")
    if len(subject) > MAX_SUBJECT_LENGTH:
        raise TextRefused(
            f"{kind}: the first line is the subject of the mail, and may have "
            f"{MAX_SUBJECT_LENGTH} characters; it has {len(subject)}."
        )
    if not PLACEHOLDER.sub("", subject).strip():
        raise TextRefused(f"{kind}: the first line is the subject of the mail; write one.")
    if not any(PLACEHOLDER.findall(line) == ["link"] for line in body.splitlines()):
        raise TextRefused(
            f"{kind}: the personal link is missing; write {{link}} below the subject, on a line "
            "without other placeholders, since a line with an empty placeholder is left out."
        )


def fill_letter(text: str, values: Mapping[str, str]) -> Letter:
    """Return a mail with the placeholders of a validated text replaced by their values."""
    subject, body = _divide(text)
    lines = [line for line in body.splitlines() if all(map(values.get, PLACEHOLDER.findall(line)))]
    filled = EMPTY_LINES.sub("\n\n", _fill("\n".join(lines), values))
    return Letter(SPACES.sub(" ", _fill(subject, values)).strip(), filled.strip())


def _divide(text: str) -> tuple[str, str]:
    subject, _, body = text.strip().partition("\n")
    return subject.strip(), body


def _fill(text: str, values: Mapping[str, str]) -> str:
    """Replace placeholders once, so that a value may contain one."""
    return PLACEHOLDER.sub(lambda match: values.get(match[1], ""), text)
