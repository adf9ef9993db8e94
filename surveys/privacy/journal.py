"""The journal of withdrawals and erasures, kept beside the backups, which hold what was erased.

Each entry is what was done and a random id: an annotator's code, or the digest of a link. A
restored site repeats all of them before it serves.
"""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC
from enum import StrEnum

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from surveys.errors import TryLater
from surveys.jobs.perform import Progress, Store
from surveys.jobs.queue import enqueue
from surveys.models import Job
from surveys.operations.backup_store import AWAY, INSTANT, JOURNAL, list_names

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


def write_entries(job: Job, progress: Progress) -> Store:
    """Write a job's entries as a file of their own. Raises TryLater while the place is away."""
    request = JournalRequest(**job.request)
    made = job.requested_at.astimezone(UTC).strftime(INSTANT)
    name = f"{JOURNAL}/{made}-{job.pk}.txt"
    lines = "".join(f"{request.deed} {one}\n" for one in request.ids)
    try:
        if not storages["backups"].exists(name):  # written by a process that died afterwards
            storages["backups"].save(name, ContentFile(lines.encode()))
    except AWAY as error:
        raise TryLater(f"The place of backups cannot be used: {error}") from error
    return lambda: None


def read_journal() -> Iterator[tuple[Deed, str]]:
    """Yield all entries, in the order in which they were made."""
    for name in list_names(JOURNAL):
        with storages["backups"].open(f"{JOURNAL}/{name}") as file:
            for line in file.read().decode().splitlines():
                deed, _, one = line.partition(" ")
                yield Deed(deed), one
