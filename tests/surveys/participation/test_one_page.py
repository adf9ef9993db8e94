"""Items of one page: their answers, their correction, and blocks of many of them."""

from decimal import Decimal

import pytest
from django.urls import reverse

from surveys.errors import RatingRefused
from surveys.models import Response
from surveys.participation.answers import PageVisit, record_rating, record_unjudgeable
from surveys.participation.corrections import change_rating
from tests.factories.studies import make_study_of, progress_of, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # raw SQL

WORDS = ("sea", "salt water")
ANSWER = ("rating", "is_unjudgeable", "written1", "written2")


@pytest.fixture
def begun_page():
    """Return a function from a published design to an assignment of two items."""

    def begin(name: str, **changed: object):
        return start(make_study_of(name, 2, **changed))

    return begin


def test_the_due_item_is_restored(begun_page):
    where = progress_of(begun_page("scws"))

    texts = [(text.text, text.form) for text in where.due.item.texts]
    n = where.due.item.word1.removeprefix("alpha")
    assert texts == [(f"Text 1 of alpha{n}.", f"alpha{n}"), (f"Text 2 of beta{n}.", f"beta{n}")]
    assert (where.n_pages, where.n_pages_done, where.asks_rating) == (2, 0, True)


def test_a_target_in_pieces_is_restored(begun_page):
    assignment = begun_page("usim")
    context = Response.objects.get(assignment=assignment, position=1).context
    type(context).objects.filter(pk=context.pk).update(more_spans=[[[0, 4]], []])

    first, second = progress_of(assignment).due.item.texts

    assert (len(first.spans), len(second.spans)) == (2, 1)


@pytest.mark.parametrize(
    ("name", "rating", "written"),
    [("simlex", Decimal(4), None), ("mclwic", Decimal(1), WORDS)],
)
def test_an_answer_is_stored_at_one_instant(begun_page, name, rating, written):
    assignment = begun_page(name)
    where = progress_of(assignment)

    assert record_rating(where, rating, written=written, visit=PageVisit(None, 7.5))
    assert not record_rating(where, rating, written=written)

    response = Response.objects.get(pk=where.due.response_id)
    assert stored(response, *ANSWER) == (rating, False, *(written or ("", "")))
    assert response.engaged_at == response.rated_at
    assert stored(response, "words_visible_seconds", "rating_visible_seconds") == (0, 7.5)
    record_rating(progress_of(assignment), rating, written=written)
    assert stored(assignment, "state") == ("submitted",)


@pytest.mark.parametrize(
    ("name", "rating", "written"),
    [
        ("simlex", Decimal(4), WORDS), ("simlex", None, WORDS), ("simlex", None, None),
        ("simlex", Decimal(9), None), ("mclwic", Decimal(1), None), ("mclwic", None, WORDS),
        ("mclwic", Decimal(1), ("sea", "")),
    ],
)  # fmt: skip
def test_an_answer_that_the_study_does_not_ask_for_is_refused(begun_page, name, rating, written):
    where = progress_of(begun_page(name))

    with pytest.raises(RatingRefused):
        record_rating(where, rating, written=written)

    assert not Response.objects.filter(rated_at__isnull=False).exists()


def test_translations_have_no_rating(begun_page):
    translated = {"language2": "fi", "publishes_words": True, "allows_unjudgeable": True}
    assignment = begun_page("semeval2017-translation", **translated)
    where = progress_of(assignment)

    assert record_rating(where, None, written=WORDS)
    assert stored(Response(pk=where.due.response_id), *ANSWER) == (None, False, *WORDS)
    assert change_rating(progress_of(assignment), 1, None)
    assert stored(Response(pk=where.due.response_id), *ANSWER) == (None, True, "", "")


def test_a_correction_changes_the_words_with_the_rating(begun_page):
    assignment = begun_page("mclwic", allows_unjudgeable=True)
    response = Response.objects.get(assignment=assignment, position=1)
    record_unjudgeable(progress_of(assignment), "Odd.")

    assert change_rating(progress_of(assignment), 1, Decimal(0), written=WORDS)
    assert not change_rating(progress_of(assignment), 1, Decimal(0), written=WORDS)
    assert change_rating(progress_of(assignment), 1, Decimal(1), written=("a", "b"))
    assert stored(response, *ANSWER, "comment") == (1, False, "a", "b", "")
    record_rating(progress_of(assignment), Decimal(1), written=WORDS)
    assert not Response.objects.filter(rated_at=None).exists()


def test_the_address_of_a_one_page_item_is_that_of_its_rating(begun_page, client):
    assignment = begun_page("simlex")

    for page in ("next", "engage"):
        number = [1] if page == "engage" else []
        answer = client.get(reverse(f"annotate:{page}", args=[assignment.token, *number]))
        assert answer.url == reverse("annotate:rate", args=[assignment.token, 1])
