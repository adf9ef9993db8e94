"""Second looks: annotators keep or change ratings that were far from the others'."""

from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.errors import AssignmentEnded, RatingRefused, SecondLookRefused
from surveys.models import Assignment, SecondAnswer, SecondLook, Study
from surveys.study.rules import study_rules_of


def has_due_look(assignment_id: int) -> bool:
    """Return whether the annotator of an assignment has ratings to look at again now."""
    of_annotator = {"response__annotator__assignments": assignment_id}
    return SecondAnswer.objects.due().filter(**of_annotator).exists()


def list_looks(assignment: Assignment) -> list[SecondAnswer]:
    """Return what an assignment's annotator looks at again, answered or not, in order.

    Raises AssignmentEnded once the second look is closed.
    """
    of_annotator = SecondAnswer.objects.filter(response__annotator=assignment.annotator_id)
    looks = list(of_annotator.with_items())
    if looks:
        _refuse_closed(SecondLook.objects.get(study=assignment.study_id))
    return looks


@transaction.atomic
def answer_again(
    answer: SecondAnswer,
    rating: Decimal | None,
    comment: str = "",
    *,
    shown_at: datetime | None = None,
) -> bool:
    """Store the rating after a second look, the same or another, or None for "cannot judge".

    The first answer counts; returns whether it was stored. Raises RatingRefused for an answer that
    the study does not allow, AssignmentEnded once the second look is closed.
    """
    study = answer.response.annotator.study
    rules = study_rules_of(study.pk, study.revision)
    if rating is None and not study.allows_unjudgeable:
        raise RatingRefused("This study asks for a rating of every pair.")
    if rating is not None and rating not in rules.scale_points:
        raise RatingRefused(f"{rating} is not on the scale of this study.")
    # waits for its closing, after which no answer may be stored
    _refuse_closed(SecondLook.objects.select_for_update(no_key=True).get(study=study))
    unanswered = SecondAnswer.objects.filter(
        pk=answer.pk, answered_at=None, response__annotator__withdrawn_at=None
    )
    return bool(
        unanswered.update(
            rating=rating, is_unjudgeable=rating is None, answered_at=timezone.now(),
            comment=comment if rating is None else "", shown_at=shown_at,
        )
    )  # fmt: skip


def refuse_open_look(study: Study) -> None:
    """Raise SecondLookRefused while annotators may still change ratings of a study."""
    if SecondLook.objects.filter(study=study, closed_at=None).exists():
        raise SecondLookRefused(
            "The second look of this study is open, so ratings may still change. Close it first, "
            "under Collection."
        )


def _refuse_closed(look: SecondLook) -> None:
    if look.closed_at:
        raise AssignmentEnded(
            _(
                "The second look at your ratings has ended. What you answered until then counts; "
                "your other ratings stay as they were."
            ),
            heading=_("Thank you"),
        )
