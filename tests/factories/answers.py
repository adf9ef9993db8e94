"""Studies that are under way, for tests of how they are watched."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from surveys.models import Assignment, Response, Study
from surveys.participation.answers import record_engagement, record_rating
from tests.factories.studies import due_response, make_study, progress_of, start


def answer(
    assignment: Assignment, ratings: Sequence[int] | None = None, *, opposes: bool = False
) -> Assignment:
    """Answer items by ratings in their order, or else as all do, or in the opposite way."""
    n_items = assignment.responses.count() if ratings is None else len(ratings)
    for number in range(n_items):
        response = due_response(assignment)
        row = 2 * (response.context.pair.position - 1) + response.context.number
        of_all = 6 - row % 7 if opposes else row % 7
        rating = of_all if ratings is None else ratings[number]
        record_engagement(progress_of(assignment), f"sea{number}", "salt")
        record_rating(progress_of(assignment), Decimal(rating))
    assignment.refresh_from_db()
    return assignment


def finished_study(n_annotators: int = 4, n_pairs: int = 6, **design: Any) -> Study:
    """A study of one block that so many have finished, all of one mind."""
    study = make_study(n_pairs, ratings_per_context=10, **design)
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
