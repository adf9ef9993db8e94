"""Answers to the one or two pages of an item; each response is filled once.

All answers are single conditional updates: the first one counts, and a repeated, late or reordered
one is a no-op, from any tab, process or network. An answer after the lease has ended resumes the
assignment.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.errors import AssignmentEnded, RatingRefused
from surveys.models import Assignment, AssignmentState
from surveys.models.study import Writes
from surveys.participation.assignments import resume_assignment, submit_assignment
from surveys.participation.due_item import (
    RATING_OPEN,
    WORDS_OPEN,
    AssignmentProgress,
    fill_response,
)
from surveys.study.rules import study_rules_of


@dataclass(frozen=True)
class PageVisit:
    """The browser's claims on how a page was viewed, for reviewers."""

    shown_at: datetime | None = None
    visible_seconds: float | None = None
    layout: str = ""


UNKNOWN = PageVisit()
Written = tuple[str, str]


def record_engagement(
    where: AssignmentProgress,
    written1: str,
    written2: str,
    *,
    visit: PageVisit = UNKNOWN,
    pasted: tuple[bool, bool] = (False, False),
) -> bool:
    """Store two inspired words for the due item unless it has some; return whether stored."""
    resume_if_expired(where)
    return where.due is not None and fill_response(
        where.due.response_id,
        WORDS_OPEN,
        {
            "written1": written1,
            "written2": written2,
            "engaged_at": timezone.now(),
            "words_shown_at": visit.shown_at,
            "words_visible_seconds": visit.visible_seconds,
            "has_pasted_word1": pasted[0],
            "has_pasted_word2": pasted[1],
        },
    )


def record_rating(
    where: AssignmentProgress,
    rating: Decimal | None,
    *,
    written: Written | None = None,
    visit: PageVisit = UNKNOWN,
) -> bool:
    """Store the rating of the due item; the last one submits the assignment.

    It comes after page 1, or with what is written on an item's only page. A translation has no
    rating. Returns whether it was stored. Raises RatingRefused for a rating that is not on the
    scale, and for one without what the study asks to write.
    """
    check_answer(where, rating, written)
    return _answer_last_page(where, visit, written, rating=rating)


def record_unjudgeable(
    where: AssignmentProgress, comment: str, *, visit: PageVisit = UNKNOWN
) -> bool:
    """Store that the annotator cannot judge the due item, with an optional comment.

    Returns whether it was stored. Raises RatingRefused if the study does not allow it.
    """
    check_answer(where, None, None)
    return _answer_last_page(where, visit, is_unjudgeable=True, comment=comment)


def check_answer(
    where: AssignmentProgress, rating: Decimal | None, written: Written | None
) -> None:
    """Raise RatingRefused for an answer (neither: cannot judge) that the study does not allow."""
    rules = study_rules_of(where.study_id, where.revision)
    writes = rules.study.writes
    if rating is None and not written:
        if not rules.study.allows_unjudgeable:
            raise RatingRefused("This study asks for a rating of every text.")
    elif bool(written and all(written)) != (writes in {Writes.SUBSTITUTES, Writes.TRANSLATIONS}):
        raise RatingRefused("This study asks for a rating, and for words only where it says so.")
    elif (rating is None) != (writes == Writes.TRANSLATIONS):
        raise RatingRefused("This study asks for a rating, or for translations alone.")
    elif rating is not None and rating not in rules.scale_points:
        raise RatingRefused(f"{rating} is not on the scale of this study.")


def _answer_last_page(
    where: AssignmentProgress, visit: PageVisit, written: Written | None = None, **answer: object
) -> bool:
    resume_if_expired(where)
    if where.due is None:
        return False
    now, still_open = timezone.now(), RATING_OPEN
    answer |= {
        "rated_at": now,
        "rating_shown_at": visit.shown_at,
        "rating_visible_seconds": visit.visible_seconds,
        "scale_layout": visit.layout,
    }
    if where.kind.n_pages == 1:
        still_open = WORDS_OPEN
        answer |= {
            "engaged_at": now,
            # the mean pace is that of both pages
            "words_visible_seconds": None if visit.visible_seconds is None else 0.0,
            **dict(zip(("written1", "written2"), written or (), strict=False)),
        }
    if where.due.position < where.n_items:
        return fill_response(where.due.response_id, still_open, answer)
    stored = _finish(where.assignment_id, where.due.response_id, still_open, answer)
    if stored is None:  # it expired since this page was asked for
        _resume(where)
        stored = _finish(where.assignment_id, where.due.response_id, still_open, answer)
    return bool(stored)


@transaction.atomic
def _finish(
    assignment_id: int, response_id: int, still_open: str, answer: Mapping[str, object]
) -> bool | None:
    """Store the last answer and submit; return None for an expired assignment.

    An expired one must be resumed first, in a transaction that locks the study before it.
    """
    # the assignment before the response, in the same order as a withdrawal
    assignment = Assignment.objects.select_for_update(no_key=True).get(pk=assignment_id)
    if assignment.state == AssignmentState.EXPIRED:
        return None
    stored = fill_response(response_id, still_open, answer)
    if stored:
        submit_assignment(assignment)
    return stored


def resume_if_expired(where: AssignmentProgress) -> None:
    """Resume an assignment after its lease; raise AssignmentEnded if it takes no answers."""
    if not where.takes_answers:
        raise AssignmentEnded(_("This questionnaire takes no more answers."))
    if where.state == AssignmentState.EXPIRED:
        _resume(where)


def _resume(where: AssignmentProgress) -> None:
    resume_assignment(Assignment.objects.with_study().get(pk=where.assignment_id))
