"""Studies by the design of SemEval-2017, whose annotators look again at some ratings."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User

from surveys.models import Annotator, SecondAnswer, Study
from surveys.participation.answers import record_rating
from surveys.participation.second_look import answer_again
from surveys.review.second_look import open_second_look
from tests.factories.studies import due_response, make_study_of, progress_of, start

RATINGS = (("1", "1", "2.25"), ("1", "2", "3"), ("0", "1", "1"), ("0", "0", "4"))


def rated_study(ratings: Sequence[Sequence[str]] = RATINGS, **changed: Any) -> Study:
    """Return a study whose annotators have all rated: a row for each pair."""
    n = len(ratings[0])
    study = make_study_of("semeval2017", len(ratings), ratings_per_context=n, **changed)
    for column in zip(*ratings, strict=True):
        assignment = start(study)
        for _ in column:
            rating = Decimal(column[due_response(assignment).pair.position - 1])
            record_rating(progress_of(assignment), rating)
    study.refresh_from_db()
    return study


def looking_study(ratings: Sequence[Sequence[str]] = RATINGS, **changed: Any) -> Study:
    """Return the same with an open second look, by an account named ana."""
    study = rated_study(ratings, **changed)
    user, _ = User.objects.get_or_create(username="ana")
    open_second_look(study, user)
    study.refresh_from_db()
    return study


def list_annotators(study: Study) -> list[Annotator]:
    """Return the annotators in the order in which they came: that of the columns."""
    return list(Annotator.objects.filter(study=study).order_by("pk"))


def look_of(annotator: Annotator, pair: int) -> SecondAnswer:
    """Return what an annotator looks at again, by the number of the pair."""
    looks = SecondAnswer.objects.with_items()
    return looks.get(response__annotator=annotator, response__pair__position=pair)


def look_again(annotator: Annotator, pair: int, rating: str) -> bool:
    """Answer a second look."""
    return answer_again(look_of(annotator, pair), Decimal(rating))
