"""The audit log of a study as its members may see it, as CSV, and as a file of a release.

Entries contain no provider ids. They contain e-mail addresses if a user wrote them; owners see
these.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from surveys.access.audit_log import find_entries
from surveys.access.redaction import mask_details, mask_text
from surveys.models import AuditEntry, Study
from surveys.results.export import stream_csv, write_text

ROWS_A_FETCH = 2000
COLUMNS = ("at", "who", "what", "about", "details")
OF_ROWS = {"stimuli.revised", "stimuli.dropped"}
# The published actions, by prefix, and whether the subject of the entry is published.
PUBLISHED = {
    "study.": True, "stimuli.": True, "text.": True, "block.": True, "review.": True,
    "entrance.": True, "results.": True, "release.": True, "run.": True, "verify.": True,
    "retention.": True, "personal_data.": True, "invitations.": True, "annotator.": False,
    "annotators.": False, "verdict.": False, "item.": False,
}  # fmt: skip


def mask_entries(entries: Iterable[AuditEntry], *, sees_addresses: bool) -> list[AuditEntry]:
    """Return entries, masked unless the user sees e-mail addresses."""
    return [_mask(entry) if not sees_addresses else entry for entry in entries]


def stream_log(entries: QuerySet[AuditEntry], *, sees_addresses: bool) -> Iterator[str]:
    """Yield entries as CSV, with details as JSON."""
    rows = entries.iterator(chunk_size=ROWS_A_FETCH)
    seen = (entry if sees_addresses else _mask(entry) for entry in rows)
    return stream_csv(
        COLUMNS,
        (
            (_instant(entry), entry.actor, entry.action, entry.subject, _details(entry.details))
            for entry in seen
        ),
    )


def write_public_log(study: Study) -> str:
    """Return the audit log of a study as TSV for a release, earliest entry first.

    Users are numbered in the order of their first entries. Entries about single links, accounts
    and keys are left out; those about single annotators have no subject and no reason. Those about
    changed or deleted rows have the reason, without the texts.
    """
    lines = ["\t".join(COLUMNS)]
    numbers: dict[int, int] = {}
    for entry in find_entries(study).order_by("pk"):
        begins = f"{entry.action.partition('.')[0]}."
        if begins not in PUBLISHED:
            continue
        actor = entry.actor
        if entry.user_id:
            actor = f"person {numbers.setdefault(entry.user_id, len(numbers) + 1)}"
        subject = entry.subject if PUBLISHED[begins] else ""
        details = _details(_publish_details(entry, has_subject=PUBLISHED[begins]))
        cells = (_instant(entry), actor, entry.action, subject, details)
        masked = (mask_text(" ".join(cell.split())) for cell in cells)
        lines.append("\t".join(map(write_text, masked)))
    return "\n".join([*lines, ""])


def _publish_details(entry: AuditEntry, *, has_subject: bool) -> dict[str, Any]:
    details: dict[str, Any] = mask_details(entry.details)
    reason = {"reason": details.pop("reason")} if "reason" in details else {}
    if entry.action in OF_ROWS:
        return reason
    return {**details, **reason} if has_subject else details


def _mask(entry: AuditEntry) -> AuditEntry:
    entry.subject, entry.details = mask_text(entry.subject), mask_details(entry.details)
    return entry


def _instant(entry: AuditEntry) -> str:
    return f"{entry.at:%Y-%m-%dT%H:%M:%SZ}"


def _details(details: object) -> str:
    return json.dumps(details, ensure_ascii=False, sort_keys=True) if details else ""
