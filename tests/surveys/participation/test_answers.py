from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from surveys.errors import AssignmentEnded, RatingRefused
from surveys.models import Assignment
from surveys.participation.answers import (
    PageVisit,
    record_engagement,
    record_rating,
    record_unjudgeable,
)
from surveys.participation.due_item import AssignmentProgress, find_progress
from surveys.participation.withdrawal import return_assignment
from tests.factories.studies import make_study, progress_of, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # locks

ANSWER = ("written1", "written2", "rating")


@pytest.fixture
def state(assignment) -> AssignmentProgress:
    """Return the state of an assignment before its first answer."""
    return progress_of(assignment)


def test_record_engagement_stores_two_words(state, response):
    assert record_engagement(state, "morje", "sol")

    assert stored(response, *ANSWER) == ("morje", "sol", None)


def test_record_engagement_again_changes_nothing(state, response):
    record_engagement(state, "morje", "sol")
    before = stored(response, *ANSWER, "engaged_at")

    assert not record_engagement(state, "gora", "sneg")

    assert stored(response, *ANSWER, "engaged_at") == before


def test_record_engagement_stores_the_page_visit(state, response):
    shown_at = timezone.now() - timedelta(seconds=40)

    record_engagement(state, "morje", "sol", visit=PageVisit(shown_at, 31.5), pasted=(False, True))

    assert stored(
        response, "words_shown_at", "words_visible_seconds", "has_pasted_word1", "has_pasted_word2"
    ) == (shown_at, 31.5, False, True)


def test_record_rating_before_the_words_changes_nothing(state, response):
    assert not record_rating(state, Decimal(3))

    assert stored(response, *ANSWER) == ("", "", None)


def test_record_rating_again_changes_nothing(state, response):
    record_engagement(state, "morje", "sol")
    assert record_rating(state, Decimal(2))
    before = stored(response, *ANSWER, "rated_at")

    assert not record_rating(state, Decimal(5))

    assert stored(response, *ANSWER, "rated_at") == before


@pytest.mark.parametrize("rating", ["-1", "7", "99", "2.5"])
def test_record_rating_refuses_a_rating_off_the_scale(state, response, rating):
    record_engagement(state, "morje", "sol")

    with pytest.raises(RatingRefused):
        record_rating(state, Decimal(rating))

    assert stored(response, *ANSWER) == ("morje", "sol", None)


def test_record_rating_accepts_the_steps_of_the_scale():
    assignment = start(make_study(2, scale_step=Decimal("0.25")))
    where = progress_of(assignment)
    record_engagement(where, "morje", "sol")

    assert record_rating(where, Decimal("2.25"))

    assert assignment.responses.get(position=1).rating == Decimal("2.25")


def test_record_unjudgeable_is_an_answer_without_a_rating():
    study = make_study(1)
    study.allows_unjudgeable = True
    study.save()
    assignment = start(study)
    record_engagement(progress_of(assignment), "morje", "sol")

    assert record_unjudgeable(progress_of(assignment), "a word is cut off")

    assert assignment.responses.values_list("rating", "is_unjudgeable", "comment").get() == (
        None, True, "a word is cut off",
    )  # fmt: skip
    assert stored(assignment, "state") == ("submitted",)


def test_record_unjudgeable_is_refused_unless_the_study_allows_it(state, response):
    record_engagement(state, "morje", "sol")

    with pytest.raises(RatingRefused, match="a rating of every text"):
        record_unjudgeable(state, "")

    assert stored(response, "is_unjudgeable", "rated_at") == (False, None)


def test_answers_to_a_returned_assignment_are_refused(assignment, response):
    return_assignment(assignment, "tried")

    with pytest.raises(AssignmentEnded):
        record_engagement(progress_of(assignment), "morje", "sol")

    assert stored(response, *ANSWER) == ("", "", None)


def test_record_rating_of_the_last_item_submits(assignment):
    for rating in (6, 0):
        assert stored(assignment, "state") == ("started",)
        record_engagement(progress_of(assignment), "morje", "sol")
        record_rating(progress_of(assignment), Decimal(rating))

    assert stored(assignment, "state") == ("submitted",)
    assert progress_of(assignment).due is None


def test_the_study_of_an_assignment_is_reached_directly_and_read_once(assignment):
    with CaptureQueriesContext(connection) as queries:
        find_progress(assignment.token)
        Assignment.objects.with_study().get(pk=assignment.pk)

    where, with_study = (query["sql"] for query in queries)
    assert "surveys_annotator" not in where
    assert with_study.count("JOIN") == 2


def test_find_progress_returns_the_items_in_order(assignment: Assignment):
    def place() -> tuple[int, int, int]:
        where = progress_of(assignment)
        return where.due.position, where.n_pages_done, where.n_pages

    walked = [place()]
    record_engagement(progress_of(assignment), "morje", "sol")
    walked.append(place())
    record_rating(progress_of(assignment), Decimal(1))
    walked.append(place())

    assert walked == [(1, 0, 4), (1, 1, 4), (2, 2, 4)]
