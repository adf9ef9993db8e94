"""The files of the journal, and what a restored site does again before it serves."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from surveys.errors import TryLater
from surveys.features import load_objects
from surveys.jobs.perform import Progress, Store
from surveys.models import Annotator, Invitation, Job, Study
from surveys.operations.backups.store import AWAY, INSTANT, JOURNAL, list_names
from surveys.participation.assignments import lock_places
from surveys.privacy.erasure import erase_annotator, forget_invitation, withdraw_annotator
from surveys.privacy.journal import Deed, JournalRequest, digest_of
from surveys.privacy.retention import drop_due, forget_people

BECAUSE = "repeated from the journal of erasures"


def repeat_erasures() -> Counter[Deed]:
    """Do all deeds of the journal again, and drop what is due; idempotent. Return their numbers.

    Entries about people of whom the backup knows nothing are passed over.
    """
    done = repeat_deeds(read_journal(), Annotator.objects.all(), Invitation.objects.all())
    for study in Study.objects.order_by("pk"):
        drop_due(study)
    for drop in load_objects("drop_due"):
        drop(timezone.now())
    return done


def repeat_deeds(
    entries: Iterable[tuple[Deed, str]],
    annotators: QuerySet[Annotator],
    invitations: QuerySet[Invitation],
) -> Counter[Deed]:
    """Do deeds about some people and links again; idempotent. Return their numbers."""
    done: Counter[Deed] = Counter()
    links: dict[str, Invitation] | None = None
    for deed, one in dict.fromkeys(entries):
        if deed == Deed.LINK:
            links = _find_links(invitations) if links is None else links
            if invitation := links.get(one):
                forget_invitation(invitation, BECAUSE)
                done[deed] += 1
        elif annotator := annotators.filter(code=one).select_related("study").first():
            _repeat(deed, annotator)
            done[deed] += 1
    return done


def _repeat(deed: Deed, annotator: Annotator) -> None:
    if deed == Deed.WITHDRAWN:
        withdraw_annotator(annotator)
    elif deed == Deed.ERASED:
        erase_annotator(annotator, BECAUSE)
    else:
        with transaction.atomic():
            lock_places(annotator.study_id)
            forget_people(annotator.study, [annotator.pk])


def _find_links(invitations: QuerySet[Invitation]) -> dict[str, Invitation]:
    """Return the unused links with a note by their random ids."""
    unused = invitations.filter(annotator=None).exclude(note="").select_related("study")
    return {digest_of(invitation.token): invitation for invitation in unused}


def write_entries(job: Job, progress: Progress) -> Store:
    """Write a job's entries as a file of their own. Raises TryLater while the place is away."""
    request = JournalRequest(**job.request)
    made = job.requested_at.astimezone(UTC).strftime(INSTANT)
    name = f"{JOURNAL}/{made}-{job.pk}.txt"
    lines = "".join(f"{request.deed} {one}\n" for one in request.ids)
    try:
        # beside what a process that died has written, perhaps in part
        storages["backups"].save(name, ContentFile(lines.encode()))
    except AWAY as error:
        raise TryLater(f"The place of backups cannot be used: {error}") from error
    return lambda: None


def read_journal(place: Storage | None = None, folder: str = JOURNAL) -> Iterator[tuple[Deed, str]]:
    """Yield all entries, in the order in which they were made; some perhaps twice.

    A line without an end is the rest of a file whose writer died, and is in another file.
    """
    place = place or storages["backups"]
    for name in list_names(folder, place):
        with place.open(f"{folder}/{name}") as file:
            for line in file.read().decode().split("\n")[:-1]:
                deed, _, one = line.partition(" ")
                yield Deed(deed), one
