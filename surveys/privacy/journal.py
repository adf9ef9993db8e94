"""The journal of withdrawals and erasures, kept beside the backups, which hold what was erased.

Each entry is what was done and a random id: an annotator's code, or the digest of a link. A
restored site repeats all of them before it serves.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from surveys.jobs.queue import enqueue

KIND = "privacy.journal"


class Deed(StrEnum):
    """What was done, and is done again in a site restored from a backup."""

    WITHDRAWN = "withdrawn"
    ERASED = "erased"
    FORGOTTEN = "forgotten"  # an annotator's ids and notes
    LINK = "link"  # the note of an unused link


@dataclass(frozen=True)
class JournalRequest:
    """Entries to write: what was done, and the random ids to which it was."""

    deed: str
    ids: list[str]


def note(deed: Deed, ids: Collection[str]) -> None:
    """Have entries written to the journal by a job, stored in the caller's transaction."""
    if ids:
        enqueue(KIND, {"deed": deed.value, "ids": sorted(ids)})


def digest_of(token: str) -> str:
    """Return the random id of a link, which does not reveal its token."""
    return hashlib.sha256(f"journal {token}".encode()).hexdigest()[:32]
