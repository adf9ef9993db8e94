"""The log of a study → for those who work on it, page and CSV; for everybody, a file of a release.

Entries name no provider's id. An address stands in one where somebody wrote it; owners see it.
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
# What is published of the log: by the beginning of the action, and whether it tells about whom.
PUBLISHED = {
    "study.": True, "stimuli.": True, "text.": True, "block.": True, "review.": True,
    "entrance.": True, "results.": True, "release.": True, "run.": True, "retention.": True,
    "personal_data.": True, "invitations.": True, "annotator.": False, "annotators.": False,
    "verdict.": False,
}  # fmt: skip


def mask_entries(entries: Iterable[AuditEntry], *, sees_addresses: bool) -> list[AuditEntry]:
    """Entries as somebody may see them."""
    return [_mask(entry) if not sees_addresses else entry for entry in entries]


def stream_log(entries: QuerySet[AuditEntry], *, sees_addresses: bool) -> Iterator[str]:
    """Entries as CSV; details are JSON."""
    found = entries.iterator(chunk_size=ROWS_A_FETCH)
    seen = (entry if sees_addresses else _mask(entry) for entry in found)
    return stream_csv(
        COLUMNS,
        (
            (_instant(entry), entry.actor, entry.action, entry.subject, _details(entry.details))
            for entry in seen
        ),
    )


def write_public_log(study: Study) -> str:
    """What was decided about a study, the first first, as TSV for a release.

    People are numbered in the order in which they first did something. What is about single
    annotators, links, accounts and keys is left out, or tells neither whom nor why; of rows that
    were changed or dropped it tells why, and not what stood in them.
    """
    lines = ["\t".join(COLUMNS)]
    numbers: dict[int, int] = {}
    for entry in find_entries(study).order_by("pk"):
        begins = f"{entry.action.partition('.')[0]}."
        if begins not in PUBLISHED:
            continue
        who = entry.actor
        if entry.user_id:
            who = f"person {numbers.setdefault(entry.user_id, len(numbers) + 1)}"
        subject = entry.subject if PUBLISHED[begins] else ""
        details = _details(_publish_details(entry, has_subject=PUBLISHED[begins]))
        cells = (_instant(entry), who, entry.action, subject, details)
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
