"""A personal link → whom it is for, as far as the reader may know, and a text to remind them by.

Nothing is sent from here: who reminds copies the text, or opens it in their own mail program.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

from surveys.masking import ADDRESS, mask_note
from surveys.models import AssignmentState, Study
from surveys.models.recruitment import UNUSED
from surveys.recruiting import personal_link

REMINDED = frozenset({UNUSED, *AssignmentState.unfinished()})


class Recruit(NamedTuple):
    """A personal link in a list: whom it is for, where they are, how to remind them."""

    pk: int
    note: str
    link: str
    whereabouts: str
    mail: str
    reminder: str


def list_recruits(
    study: Study, invitations: Iterable[Any], *, sees_addresses: bool
) -> list[Recruit]:
    """Invitations with their whereabouts, as somebody may see them."""
    return [_describe(study, one, sees_addresses=sees_addresses) for one in invitations]


def _describe(study: Study, invitation: Any, *, sees_addresses: bool) -> Recruit:
    link = personal_link(invitation.token)
    may_be_reminded = invitation.whereabouts in REMINDED
    reminder = write_reminder(study, link, is_begun=invitation.whereabouts != UNUSED)
    address = ADDRESS.search(invitation.note) if sees_addresses and may_be_reminded else None
    return Recruit(
        pk=invitation.pk,
        note=invitation.note if sees_addresses else mask_note(invitation.note),
        link=link,
        whereabouts=invitation.whereabouts,
        mail=_write_mail(study, address[0], reminder) if address else "",
        reminder=reminder if may_be_reminded else "",
    )


def write_reminder(study: Study, link: str, *, is_begun: bool) -> str:
    """What to write to somebody who has not finished."""
    so_far = (
        "You have begun, but not finished yet; what you have answered so far is kept."
        if is_begun
        else "You have not begun yet."
    )
    lines = [
        "Hello,",
        f"some time ago you were invited to take part in our study{_name(study)}. {so_far}",
        f"This is your personal link: {link}",
        "If you no longer wish to take part, you need not do anything.",
        "Thank you!",
        *([f"Questions: {study.contact}"] if study.contact else []),
    ]
    return "\n\n".join(lines)


def _write_mail(study: Study, address: str, reminder: str) -> str:
    subject = quote(f"Our study{_name(study)}")
    return f"mailto:{quote(address, safe='@+')}?subject={subject}&body={quote(reminder)}"


def _name(study: Study) -> str:
    return f" “{study.title}”" if study.title else ""
