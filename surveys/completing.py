"""What an annotator hands back to whoever sent them: a code, and where it goes."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, Subquery

from surveys.models import Annotator, Assignment, Entrance, Invitation, Visit
from surveys.providers import completion_address


@dataclass(frozen=True)
class Completion:
    """A code for the provider, and the address that takes it there, if there is one."""

    code: str
    address: str


def completion_of(annotator: Annotator) -> Completion | None:
    """What an annotator hands back at the end: the code of who did a block, or of who could not.

    A block counts even if withdrawn since, and whatever came after it: the work was done.
    """
    invitation = _find_invitation(annotator)
    if invitation.entrance and not invitation.has_done:
        return no_place_completion(invitation.entrance)
    return _earned(invitation)


def earned_before(assignment: Assignment) -> Completion | None:
    """What somebody who is at a further block can hand back already."""
    if not (assignment.is_unfinished and assignment.study.allows_more_blocks):
        return None
    invitation = _find_invitation(assignment.annotator)
    return _earned(invitation) if invitation.has_done else None


def no_place_completion(entrance: Entrance) -> Completion | None:
    """What somebody hands back who could not take part."""
    return _as_completion(entrance, entrance.no_place_code)


def _find_invitation(annotator: Annotator) -> Any:
    """With whether a block was done (`has_done`), and the code `promised` when they came last."""
    done = Assignment.objects.filter(annotator=annotator, submitted_at__isnull=False)
    visits = Visit.objects.filter(assignment__annotator=annotator).order_by("-pk")
    invitations = Invitation.objects.select_related("entrance").annotate(
        has_done=Exists(done), promised=Subquery(visits.values("completion_code")[:1])
    )
    return invitations.get(annotator=annotator)


def _earned(invitation: Any) -> Completion | None:
    if (entrance := invitation.entrance) is None:
        return None
    # A study at the provider takes its own code alone, whatever the entrance gives out by now.
    return _as_completion(entrance, invitation.promised or entrance.completion_code)


def _as_completion(entrance: Entrance, code: str) -> Completion | None:
    return Completion(code, completion_address(entrance.provider, code)) if code else None
