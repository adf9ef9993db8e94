"""Studies that are under way, for tests of how they are watched."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from surveys.models import Assignment, Response, Study
from surveys.models.study import Writes
from surveys.participation.answers import record_engagement, record_rating
from tests.factories.studies import due_response, make_study, make_study_of, progress_of, start


def answer(
    assignment: Assignment, ratings: Sequence[int] | None = None, *, opposes: bool = False
) -> Assignment:
    """Answer items by ratings in their order, or else as all do, or in the opposite way."""
    n_items = assignment.responses.count() if ratings is None else len(ratings)
    points = assignment.study.scale_points
    for number in range(n_items):
        response = due_response(assignment)
        context = response.context
        row = assignment.study.kind.n_contexts * (context.pair.position - 1) + context.number
        of_all = row % len(points)
        given = points[-1 - of_all] if opposes else points[of_all]
        rating = given if ratings is None else Decimal(ratings[number])
        answer_due(assignment, rating, (f"sea{number}", "salt"))
    assignment.refresh_from_db()
    return assignment


def answer_due(assignment: Assignment, rating: Decimal, words: tuple[str, str]) -> None:
    """Answer the page or pages of the due item, with words where the study asks for them."""
    where, writes = progress_of(assignment), assignment.study.writes
    if writes == Writes.ASSOCIATIONS:
        record_engagement(where, *words)
        record_rating(progress_of(assignment), rating)
    elif writes == Writes.TRANSLATIONS:
        record_rating(where, None, written=words)
    else:
        record_rating(where, rating, written=None if writes == Writes.NOTHING else words)


def finished_study(n_annotators: int = 4, n_pairs: int = 6, **design: Any) -> Study:
    """A study of one block that so many have finished, all of one mind."""
    study = make_study(n_pairs, ratings_per_context=10, **design)
    for _ in range(n_annotators):
        answer(start(study))
    return study


def finished_study_of(name: str, n_annotators: int = 4, n_pairs: int = 6, **changed: Any) -> Study:
    """A study by a published design that so many have finished, all of one mind."""
    study = make_study_of(name, n_pairs, ratings_per_context=10, **changed)
    for _ in range(n_annotators):
        answer(start(study))
    return study


def finish_at(assignment: Assignment, at: datetime, minutes: float = 10) -> None:
    """Let an assignment have been finished then, so many minutes after its start."""
    began = at - timedelta(minutes=minutes)
    Assignment.objects.filter(pk=assignment.pk).update(started_at=began, submitted_at=at)


def hours_ago(hours: float) -> datetime:
    return timezone.now() - timedelta(hours=hours)


def take_seconds(assignment: Assignment, seconds: float) -> None:
    """Let both pages of each item have been seen for so long together."""
    answered = Response.objects.filter(assignment=assignment, rated_at__isnull=False)
    answered.update(words_visible_seconds=seconds / 2, rating_visible_seconds=seconds / 2)
