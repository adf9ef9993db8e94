"""Withdrawal of annotators, and erasure of their data on request."""

from datetime import datetime
from typing import TypeVar

from django.db import transaction
from django.db.models import Min, QuerySet
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import mask_text
from surveys.errors import ErasureRefused
from surveys.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Invitation,
    Release,
    Response,
    Review,
    ReviewState,
    Run,
    SecondAnswer,
)
from surveys.participation.assignments import lock_places
from surveys.participation.withdrawal import MAX_REASON_LENGTH, revoke_invitation
from surveys.privacy.journal import Deed, note
from surveys.privacy.retention import forget_invitations, forget_people
from surveys.results.run_files import drop_exports
from surveys.study.blocks.quota import give_back_places

Made = TypeVar("Made", Run, Release)
ERASED = {
    "is_erased": True,
    "written1": "",
    "written2": "",
    "engaged_at": None,
    "rating": None,
    "is_unjudgeable": False,
    "comment": "",
    "rated_at": None,
    "words_shown_at": None,
    "rating_shown_at": None,
    "words_visible_seconds": None,
    "rating_visible_seconds": None,
    "scale_layout": "",
    "first_rating": None,
    "changed_at": None,
    "has_pasted_word1": False,
    "has_pasted_word2": False,
}


@transaction.atomic
def withdraw_annotator(annotator: Annotator) -> Annotator:
    """Remove an annotator's answers from the dataset; erase them if that was agreed; idempotent.

    The consent of the annotator decides, not the present setting of the study.
    """
    lock_places(annotator.study_id)
    annotator = Annotator.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    if annotator.withdrawn_at:
        return annotator
    _leave(annotator, "withdrawn by the annotator")
    if annotator.erases_withdrawn:
        _erase_answers(annotator)
    record(
        "annotator.withdrew", annotator.study, f"annotator {annotator.code}",
        answers="erased" if annotator.erases_withdrawn else "kept, unused",
    )  # fmt: skip
    note(Deed.WITHDRAWN, [annotator.code])
    return annotator


@transaction.atomic
def erase_annotator(annotator: Annotator, because: str) -> Annotator:
    """Withdraw an annotator and erase their answers, ids and notes; idempotent.

    It does not depend on their consent. Assignments, verdicts and the log stay, under a code that
    identifies nobody. Raises ErasureRefused without a reason.
    """
    because = mask_text(because.strip())[:MAX_REASON_LENGTH]
    if not because:
        raise ErasureRefused("Give a reason: it is kept in the log.")
    lock_places(annotator.study_id)
    annotator = Annotator.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    if annotator.erased_at:
        return annotator
    if not annotator.withdrawn_at:
        _leave(annotator, "erased at the wish of the annotator")
    n_answers = _erase_answers(annotator)
    annotator.erased_at = timezone.now()
    annotator.save(update_fields=["erased_at"])
    note(Deed.ERASED, [annotator.code])
    forget_people(annotator.study, [annotator.pk])
    releases = find_holding(annotator, Release.objects.all()).order_by("pk")
    record(
        "annotator.erased", annotator.study, f"annotator {annotator.code}", reason=because,
        answers=n_answers, in_releases=list(releases.values_list("number", flat=True)),
    )  # fmt: skip
    return annotator


def find_holding(annotator: Annotator, made: QuerySet[Made]) -> QuerySet[Made]:
    """Return the runs or releases that contain ratings of an annotator."""
    first = annotator.first_rated_at or _first_rated_at(annotator)
    if first is None:
        return made.none()
    holding = made.filter(study=annotator.study_id, collected_at__gt=first)
    left = annotator.withdrawn_at
    return holding.filter(collected_at__lte=left) if left else holding


@transaction.atomic
def forget_invitation(invitation: Invitation, because: str) -> Invitation:
    """Drop the note of an unused link and revoke it; idempotent.

    Raises InvitationRefused without a reason, ErasureRefused for a link that was used.
    """
    lock_places(invitation.study_id)  # so that no annotator starts by it meanwhile
    invitation.refresh_from_db()
    if invitation.annotator_id:
        raise ErasureRefused("This link has been used: erase the data of its annotator instead.")
    revoke_invitation(invitation, because)
    if forget_invitations(invitation.study, [invitation.pk]):
        record("invitation.forgotten", invitation.study, str(invitation), reason=because)
    invitation.refresh_from_db()
    return invitation


def _leave(annotator: Annotator, because: str) -> None:
    """Withdraw an annotator; the two instants show which runs and releases hold their ratings."""
    annotator.withdrawn_at, annotator.first_rated_at = timezone.now(), _first_rated_at(annotator)
    annotator.save(update_fields=["withdrawn_at", "first_rated_at"])
    assignments = Assignment.objects.filter(annotator=annotator)
    give_back_places(list(assignments.values_list("pk", flat=True)))
    assignments.filter(ended_because="").update(ended_because=because)
    assignments.update(state=AssignmentState.WITHDRAWN)
    _end_reviews(assignments)


def _first_rated_at(annotator: Annotator) -> datetime | None:
    times: dict[str, datetime | None] = annotator.responses.aggregate(first=Min("rated_at"))
    return times["first"]


def _erase_answers(annotator: Annotator) -> int:
    responses = Response.objects.filter(annotator=annotator)
    n_answers = responses.filter(engaged_at__isnull=False).count()
    SecondAnswer.objects.filter(response__annotator=annotator).delete()
    responses.update(**ERASED)
    drop_exports(annotator.study)
    return n_answers


def _end_reviews(assignments: QuerySet[Assignment]) -> None:
    """Close the reviews of assignments; verdicts already given stay."""
    reviews = Review.objects.filter(assignment__in=assignments)
    wholes = reviews.filter(response__isnull=True).order_by("pk")
    list(wholes.select_for_update(no_key=True).values_list("pk"))  # locked first, as by reviewers
    reviews.update(state=ReviewState.WITHDRAWN, outcome="", evidence=[], risk=0)
