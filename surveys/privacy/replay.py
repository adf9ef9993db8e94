"""What a restored site does before it serves: withdrawals and erasures that its backup lacks."""

from collections import Counter

from django.db import transaction
from django.utils import timezone

from surveys.features import load_objects
from surveys.models import Annotator, Invitation, Study
from surveys.participation.assignments import lock_places
from surveys.privacy.erasure import erase_annotator, forget_invitation, withdraw_annotator
from surveys.privacy.journal import Deed, digest_of, read_journal
from surveys.privacy.retention import drop_due, forget_people

BECAUSE = "repeated after a backup was restored"


def repeat_erasures() -> Counter[Deed]:
    """Do all deeds of the journal again, and drop what is due; idempotent. Return their numbers.

    Entries about people of whom the backup knows nothing are passed over.
    """
    done: Counter[Deed] = Counter()
    links: dict[str, Invitation] | None = None
    for deed, one in read_journal():
        if deed == Deed.LINK:
            links = _find_links() if links is None else links
            if invitation := links.get(one):
                forget_invitation(invitation, BECAUSE)
                done[deed] += 1
        elif annotator := Annotator.objects.filter(code=one).select_related("study").first():
            _repeat(deed, annotator)
            done[deed] += 1
    for study in Study.objects.order_by("pk"):
        drop_due(study)
    for drop in load_objects("drop_due"):
        drop(timezone.now())
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


def _find_links() -> dict[str, Invitation]:
    """Return the unused links with a note by their random ids."""
    unused = Invitation.objects.filter(annotator=None).exclude(note="").select_related("study")
    return {digest_of(invitation.token): invitation for invitation in unused}
