"""Assignments that end before they are submitted, and links that are revoked."""

from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import mask_text
from surveys.errors import InvitationRefused
from surveys.models import Assignment, AssignmentState, Invitation
from surveys.participation.assignments import lock_places
from surveys.study.layout.quota import give_back_places

LONGEST_BECAUSE = 200


@transaction.atomic
def return_assignment(assignment: Assignment, because: str) -> Assignment:
    """End an unfinished assignment; its answers stay. Twice does no harm."""
    lock_places(assignment.study.pk)
    unfinished = Assignment.objects.unfinished().filter(pk=assignment.pk)
    if unfinished.update(state=AssignmentState.RETURNED, ended_because=because):
        give_back_places([assignment.pk])
    assignment.refresh_from_db(fields=["state", "ended_because"])
    return assignment


@transaction.atomic
def revoke_invitation(invitation: Invitation, because: str) -> Invitation:
    """Make a personal link lead nowhere, once; what its annotator has under way is returned.

    Raises InvitationRefused without a reason.
    """
    because = mask_text(because.strip())[:LONGEST_BECAUSE]
    if not because:
        raise InvitationRefused("Say why the link is revoked: the reason is kept with it.")
    lock_places(invitation.study_id)  # nobody starts by it meanwhile
    invitation = Invitation.objects.select_for_update(no_key=True).get(pk=invitation.pk)
    if invitation.revoked_at:
        return invitation
    invitation.revoked_at, invitation.revoked_because = timezone.now(), because
    invitation.save(update_fields=["revoked_at", "revoked_because"])
    for assignment in Assignment.objects.unfinished().filter(annotator__invitation=invitation):
        return_assignment(assignment, f"link revoked: {because}"[:200])
    record("invitation.revoked", invitation.study, str(invitation), reason=because)
    return invitation
