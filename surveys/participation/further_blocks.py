"""Further blocks, offered to annotators who have submitted one."""

from typing import Any, NamedTuple

from surveys.models import Assignment, AssignmentState, Invitation, Study
from surveys.participation.assignments import count_items, has_place_left
from surveys.recruitment.completion_codes import came_by_reservation
from surveys.study.planning.durations import as_minutes


class FurtherBlock(NamedTuple):
    """A block that an annotator may do, or is doing: then `position` is the due text's."""

    n_items: int
    minutes: int
    position: int | None = None

    @classmethod
    def of(cls, study: Study) -> "FurtherBlock":
        """Return a block of a study that was not begun, of about as many texts as the first."""
        n_items = count_items(study)
        return cls(n_items, as_minutes(n_items * study.seconds_per_item))


def find_further_block(assignment: Assignment) -> FurtherBlock | None:
    """Return the block in progress after a submitted assignment, or a free one, or None."""
    study = assignment.study
    if not study.allows_more_blocks or assignment.state != AssignmentState.SUBMITTED:
        return None
    if came_by_reservation(assignment):
        return None
    invitations: Any = Invitation.objects.with_latest_state()
    invitation = invitations.get(annotator=assignment.annotator_id)
    if invitation.revoked_at:
        return None
    if invitation.latest_state in AssignmentState.unfinished():
        return _find_in_progress(assignment)
    is_free = invitation.latest_state == AssignmentState.SUBMITTED
    is_free = is_free and has_place_left(study, assignment.annotator)
    return FurtherBlock.of(study) if is_free else None


def _find_in_progress(assignment: Assignment) -> FurtherBlock:
    latest = Assignment.objects.filter(annotator=assignment.annotator_id).latest("pk")
    n_left = latest.responses.unanswered().count()
    seconds = n_left * assignment.study.seconds_per_item
    return FurtherBlock(latest.n_items, as_minutes(seconds), latest.n_items - n_left + 1)
