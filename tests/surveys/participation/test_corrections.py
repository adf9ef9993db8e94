"""The last rating can be changed until the next text is answered; the first one is kept."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from surveys.errors import AssignmentEnded, RatingRefused
from surveys.models import Assignment, Place, Response
from surveys.participation.answers import record_engagement, record_rating, record_unjudgeable
from surveys.participation.corrections import change_rating, find_last_answer
from surveys.privacy.erasure import withdraw_annotator
from surveys.study.design import configure_study
from tests.factories.studies import make_study, progress_of, rate_due, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]


def first_of(assignment: Assignment) -> Response:
    return assignment.responses.get(position=1)


def read(assignment: Assignment) -> tuple:
    """Return the ratings, as numbers, and whether the first response was changed."""
    response = first_of(assignment)
    return response.rating, response.first_rating, response.changed_at is not None


def test_a_changed_rating_replaces_the_first_one_which_is_kept(rated_one):
    rated_at = first_of(rated_one).rated_at

    assert change_rating(progress_of(rated_one), 1, Decimal(4))

    assert read(rated_one) == (4, 2, True)
    assert first_of(rated_one).rated_at == rated_at


def test_of_several_changes_the_first_and_the_last_rating_are_kept(rated_one):
    for rating in (4, 5, 2):
        assert change_rating(progress_of(rated_one), 1, Decimal(rating))

    assert read(rated_one) == (2, 2, True)


def test_the_same_rating_is_no_change(rated_one):
    assert not change_rating(progress_of(rated_one), 1, Decimal(2))

    assert read(rated_one) == (2, None, False)


def test_a_rating_becomes_cannot_judge_and_back(rated_one):
    assert change_rating(progress_of(rated_one), 1, None, "cut off")
    assert stored(first_of(rated_one), "rating", "is_unjudgeable", "comment", "first_rating") == (
        None, True, "cut off", 2,
    )  # fmt: skip

    assert change_rating(progress_of(rated_one), 1, Decimal(6), "cut off")

    assert stored(first_of(rated_one), "rating", "is_unjudgeable", "comment", "first_rating") == (
        6, False, "", 2,
    )  # fmt: skip


def test_a_first_answer_that_could_not_be_judged_leaves_no_first_rating():
    assignment = start(configure_study(make_study(3), allows_unjudgeable=True))
    record_engagement(progress_of(assignment), "sea", "salt")
    record_unjudgeable(progress_of(assignment), "")

    change_rating(progress_of(assignment), 1, Decimal(3))
    change_rating(progress_of(assignment), 1, Decimal(4))

    assert read(assignment) == (4, None, True)


def test_no_change_after_the_words_of_the_next_text(rated_one):
    other_tab = progress_of(rated_one)
    record_engagement(progress_of(rated_one), "sea", "salt")

    assert find_last_answer(progress_of(rated_one), 1) is None
    assert not change_rating(progress_of(rated_one), 1, Decimal(4))
    assert not change_rating(other_tab, 1, Decimal(4))  # which was read before

    assert read(rated_one) == (2, None, False)


def test_no_change_after_the_last_text(rated_one):
    rate_due(rated_one, 3)
    record_engagement(progress_of(rated_one), "sea", "salt")
    before = progress_of(rated_one)
    record_rating(before, Decimal(3))

    with pytest.raises(AssignmentEnded):
        change_rating(progress_of(rated_one), 3, Decimal(4))
    assert not change_rating(before, 3, Decimal(4))


def test_no_change_after_withdrawing(rated_one):
    before = progress_of(rated_one)
    withdraw_annotator(rated_one.annotator)

    assert not change_rating(before, 1, Decimal(4))
    assert first_of(rated_one).rating is None


@pytest.mark.parametrize("position", [0, 2, 3, 10**30])
def test_only_the_text_before_the_due_one_can_be_changed(rated_one, position):
    assert find_last_answer(progress_of(rated_one), position) is None
    assert not change_rating(progress_of(rated_one), position, Decimal(4))


@pytest.mark.parametrize("rating", [Decimal(7), Decimal("2.5"), None])
def test_change_rating_refuses_what_the_study_does_not_allow(rated_one, rating):
    configure_study(rated_one.study, allows_unjudgeable=False)

    with pytest.raises(RatingRefused):
        change_rating(progress_of(rated_one), 1, rating)

    assert read(rated_one) == (2, None, False)


def test_a_change_after_the_lease_resumes_the_assignment(rated_one):
    Place.objects.filter(assignment=rated_one).update(assignment=None)
    Assignment.objects.filter(pk=rated_one.pk).update(state="expired")

    assert change_rating(progress_of(rated_one), 1, Decimal(4))

    assert stored(rated_one, "state") == ("started",)


def test_one_query_tells_whether_the_last_rating_can_be_changed(rated_one):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        due = progress_of(rated_one).due

    assert (bool(due.has_last), len(queries)) == (True, 1)
    record_engagement(progress_of(rated_one), "sea", "salt")
    assert not progress_of(rated_one).due.has_last


@pytest.mark.parametrize(
    "fields",
    [
        {"first_rating": 2},
        {"changed_at": timezone.now(), "rated_at": None, "rating": None},
    ],
)
def test_the_database_refuses_a_change_of_no_rating(rated_one, fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        Response.objects.filter(pk=first_of(rated_one).pk).update(**fields)
