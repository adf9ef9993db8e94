"""An annotator who ends before the end: returned, withdrawn. Places are free again at once."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from surveys.assigning import lock_places
from surveys.auditing import record
from surveys.errors import InvitationRefused
from surveys.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Invitation,
    Response,
    Review,
    ReviewState,
)
from surveys.places import give_back_places

ERASED = {
    "is_erased": True,
    "inspired_word1": "",
    "inspired_word2": "",
    "engaged_at": None,
    "rating": None,
    "is_unjudgeable": False,
    "comment": "",
    "rated_at": None,
    "words_shown_at": None,
    "rating_shown_at": None,
    "words_visible_seconds": None,
    "rating_visible_seconds": None,
    "has_pasted_word1": False,
    "has_pasted_word2": False,
}


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
def withdraw_annotator(annotator: Annotator) -> Annotator:
    """Take everything an annotator did out of the dataset; erase it if they agreed to that. Once.

    What the annotator agreed to stands with them, whatever the study says now.
    """
    lock_places(annotator.study_id)
    annotator = Annotator.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    if annotator.withdrawn_at:
        return annotator
    annotator.withdrawn_at = timezone.now()
    annotator.save(update_fields=["withdrawn_at"])
    theirs = Assignment.objects.filter(annotator=annotator)
    give_back_places(list(theirs.values_list("pk", flat=True)))
    theirs.filter(ended_because="").update(ended_because="withdrawn by the annotator")
    theirs.update(state=AssignmentState.WITHDRAWN)
    _end_reviews(theirs)
    if annotator.erases_withdrawn:
        Response.objects.filter(annotator=annotator).update(**ERASED)
    return annotator


def _end_reviews(assignments: QuerySet[Assignment]) -> None:
    """Leave nothing to be judged of them; verdicts given stay."""
    reviews = Review.objects.filter(assignment__in=assignments)
    whole = reviews.filter(response__isnull=True).order_by("pk")
    list(whole.select_for_update(no_key=True).values_list("pk"))  # first, as reviewers do
    reviews.update(state=ReviewState.WITHDRAWN, outcome="", evidence=[], risk=0)


@transaction.atomic
def revoke_invitation(invitation: Invitation, because: str) -> Invitation:
    """Make a personal link lead nowhere, once; what its annotator has under way is returned.

    Raises InvitationRefused without a reason.
    """
    because = because.strip()[:200]
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
