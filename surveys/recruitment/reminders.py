"""Personal links with their notes, and the mails that invite and remind.

Researchers copy a mail, or open it in their own mail program; `mails` sends them if the operator
has configured that.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

from surveys.access.redaction import ADDRESS, mask_note
from surveys.models import AssignmentState, Study, TextKind
from surveys.models.recruitment import UNUSED
from surveys.recruitment.links import no_mail_link, personal_link
from surveys.study.letters import Letter, fill_letter
from surveys.study.planning.durations import introduction_seconds
from surveys.study.planning.workload import Plan, count_pairs
from surveys.study.texts import read_texts

REMINDED = frozenset({UNUSED, *AssignmentState.unfinished()})


class Mail(NamedTuple):
    """A mail to one person, with their address and a mailto: URL if it is known."""

    letter: Letter
    to: str
    address: str


class Recruit(NamedTuple):
    """A personal link in a list: its note, its state, and the mails that fit that state."""

    pk: int
    note: str
    link: str
    link_state: str
    invitation: Mail | None
    reminder: Mail | None


class Letters(NamedTuple):
    """A study's two mail texts, and the placeholder values that all mails share."""

    invitation: str
    reminder: str
    values: dict[str, str]


def list_recruits(
    study: Study, invitations: Iterable[Any], *, sees_addresses: bool
) -> list[Recruit]:
    """Return invitations with state and mails, with notes as far as the reader may see them."""
    texts = read_texts(study, TextKind.mails())
    letters = Letters(
        texts[TextKind.INVITATION].body,
        texts[TextKind.REMINDER].body,
        list_placeholder_values(study),
    )
    return [_describe(letters, link, sees_addresses=sees_addresses) for link in invitations]


def list_placeholder_values(study: Study) -> dict[str, str]:
    """Return the values of a study's placeholders; empty if there is none."""
    return {
        "title": study.public_title,
        "contact": study.contact,
        "pay": study.pay,
        "minutes": _write_minutes(study),
    }


def list_links(token: str) -> dict[str, str]:
    """Return the values of the placeholders that are a recipient's own."""
    return {"link": personal_link(token), "no_mail": no_mail_link(token)}


def _write_minutes(study: Study) -> str:
    n_pairs, n_items = count_pairs(study)
    if not n_pairs:
        return ""
    plan = Plan(
        n_pairs=n_pairs,
        block_size=study.block_size,
        ratings_per_context=study.ratings_per_context,
        seconds_per_item=study.seconds_per_item,
        introduction_seconds=introduction_seconds(study),
        n_checkpoints=min(study.n_checkpoints, n_items),
    )
    return str(plan.minutes)


def _describe(letters: Letters, invitation: Any, *, sees_addresses: bool) -> Recruit:
    match = ADDRESS.search(invitation.note) if sees_addresses else None
    address = match[0] if match else ""
    links = list_links(invitation.token)
    values = {**letters.values, **links}
    where = invitation.link_state
    return Recruit(
        pk=invitation.pk,
        note=invitation.note if sees_addresses else mask_note(invitation.note),
        link=links["link"],
        link_state=where,
        invitation=_write_mail(letters.invitation, values, address) if where == UNUSED else None,
        reminder=_write_mail(letters.reminder, values, address) if where in REMINDED else None,
    )


def _write_mail(text: str, values: dict[str, str], address: str) -> Mail:
    letter = fill_letter(text, values)
    if not address:
        return Mail(letter, "", "")
    # RFC 6068: line breaks in the body are CRLF
    body = quote(letter.body.replace("\n", "\r\n"))
    to = quote(address, safe="@+")
    return Mail(letter, address, f"mailto:{to}?subject={quote(letter.subject)}&body={body}")
