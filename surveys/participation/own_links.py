"""Own links: proof that a returning person is the annotator they claim to be.

An id at a provider proves nothing, since other requesters know it. Proof is a link that was shown
to this annotator alone, or the submission with which they came (`arrivals`, `crowd.mturk.arrival`).
`docs/crowds.md` lists what each way in opens.
"""

import re

from surveys.models import Annotator, Assignment, Invitation
from surveys.recruitment.completion_codes import came_by_reservation

TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")
MAX_LINK_LENGTH = 500


def find_owner(study_id: int, link: str) -> Annotator | None:
    """Return the annotator of a study whose own link a text contains, or None.

    It may be their personal link, or the address of any page of an assignment that only they could
    open. A revoked link proves nothing.
    """
    parts = re.split(r"[/?#\s]+", link[:MAX_LINK_LENGTH])
    tokens = [part for part in parts if TOKEN.fullmatch(part)]
    if not tokens:
        return None
    invitations = Invitation.objects.with_study().filter(
        study=study_id, token__in=tokens, annotator__isnull=False, revoked_at__isnull=True
    )
    if invitation := invitations.first():
        return invitation.annotator
    assignments = Assignment.objects.with_study().filter(
        study=study_id, token__in=tokens, annotator__invitation__revoked_at__isnull=True
    )
    return next((a.annotator for a in assignments if not is_opened_by_id(a)), None)


def is_opened_by_id(assignment: Assignment) -> bool:
    """Return whether an id alone led to an assignment, as for a known worker at another HIT.

    Its link opens this assignment only, and nothing that the annotator did before.
    """
    earlier = Assignment.objects.filter(annotator=assignment.annotator_id, pk__lt=assignment.pk)
    return came_by_reservation(assignment) and earlier.exists()


def may_withdraw(assignment: Assignment, link: str) -> bool:
    """Return whether an assignment's link may withdraw all answers of its annotator.

    If an id alone opened the assignment, the annotator's own link is needed.
    """
    if not is_opened_by_id(assignment):
        return True
    return find_owner(assignment.study_id, link) == assignment.annotator
