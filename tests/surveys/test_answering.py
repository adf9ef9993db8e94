import pytest

from surveys.answering import record_engagement, record_rating
from surveys.errors import RatingRefused
from surveys.models import Response
from tests.factories import stored

pytestmark = pytest.mark.django_db

ANSWER = ("inspired_word1", "inspired_word2", "rating")


def test_record_engagement_stores_two_words(response):
    assert record_engagement(response, "morje", "sol")

    assert stored(response, *ANSWER) == ("morje", "sol", None)


def test_record_engagement_again_changes_nothing(response):
    record_engagement(response, "morje", "sol")
    before = stored(response, *ANSWER, "engaged_at")

    assert not record_engagement(response, "gora", "sneg")

    assert stored(response, *ANSWER, "engaged_at") == before


def test_record_rating_before_the_words_changes_nothing(response):
    assert not record_rating(response, 3)

    assert stored(response, *ANSWER) == ("", "", None)


def test_record_rating_again_changes_nothing(response):
    record_engagement(response, "morje", "sol")
    assert record_rating(response, 2)
    before = stored(response, *ANSWER, "rated_at")

    assert not record_rating(response, 5)

    assert stored(response, *ANSWER, "rated_at") == before


@pytest.mark.parametrize("rating", [-1, 7, 99])
def test_record_rating_refuses_what_is_not_on_the_scale(response, rating):
    record_engagement(response, "morje", "sol")

    with pytest.raises(RatingRefused):
        record_rating(response, rating)

    assert stored(response, *ANSWER) == ("morje", "sol", None)


def test_record_rating_of_the_last_item_submits(assignment):
    for rating in (6, 0):
        assert stored(assignment, "state") == ("started",)
        due = Response.objects.due(assignment.token)
        record_engagement(due, "morje", "sol")
        record_rating(due, rating)

    assert stored(assignment, "state") == ("submitted",)
    assert Response.objects.due(assignment.token) is None


def test_due_walks_through_the_items_in_order(assignment, response):
    assert (response.position, response.n_pages_done, response.n_pages) == (1, 0, 4)

    record_engagement(response, "morje", "sol")
    due = Response.objects.due(assignment.token)
    assert (due.position, due.n_pages_done) == (1, 1)

    record_rating(response, 1)
    due = Response.objects.due(assignment.token)
    assert (due.position, due.n_pages_done) == (2, 2)
