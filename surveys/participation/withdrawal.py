"""Assignments that end before submission, and revoked links."""

from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import mask_text
from surveys.errors import InvitationRefused
from surveys.models import Assignment, AssignmentState, Invitation
from surveys.participation.assignments import lock_places
from surveys.study.blocks.quota import give_back_places

MAX_REASON_LENGTH = 200


@transaction.atomic
def return_assignment(assignment: Assignment, because: str) -> Assignment:
    """End an unfinished assignment and free its place; idempotent. Its answers stay."""
    lock_places(assignment.study.pk)
    unfinished = Assignment.objects.unfinished().filter(pk=assignment.pk)
    if unfinished.update(state=AssignmentState.RETURNED, ended_because=because):
        give_back_places([assignment.pk])
    assignment.refresh_from_db(fields=["state", "ended_because"])
    return assignment


@transaction.atomic
def revoke_invitation(invitation: Invitation, because: str) -> Invitation:
    """Revoke a personal link and return its unfinished assignment; idempotent.

    Raises InvitationRefused without a reason.
    """
    because = mask_text(because.strip())[:MAX_REASON_LENGTH]
    if not because:
        raise InvitationRefused("Give the reason for revoking the link; it is stored with it.")
    lock_places(invitation.study_id)  # against a simultaneous start
    invitation = Invitation.objects.select_for_update(no_key=True).get(pk=invitation.pk)
    if invitation.revoked_at:
        return invitation
    invitation.revoked_at, invitation.revoked_because = timezone.now(), because
    invitation.save(update_fields=["revoked_at", "revoked_because"])
    for assignment in Assignment.objects.unfinished().filter(annotator__invitation=invitation):
        return_assignment(assignment, f"link revoked: {because}"[:200])
    record("invitation.revoked", invitation.study, str(invitation), reason=because)
    return invitation
