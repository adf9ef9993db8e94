"""Hidden fields that record when and how long a page was seen."""

import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from surveys.models import Study
from surveys.participation.answers import PageVisit, record_engagement, record_rating
from surveys.web.rendering.item_forms import read_pasted, read_visit, repeat_visit
from tests.factories.arrivals import hidden_fields, page
from tests.factories.studies import make_study, progress_of, start, stored

WORDS = {"inspired_word1": "morje", "inspired_word2": "sol"}
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def noon(monkeypatch) -> None:
    """Set the clock to noon."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)


def ago(seconds: float) -> str:
    """Return a past time as the page writes it."""
    return str(round((NOW - timedelta(seconds=seconds)).timestamp() * 1000))


def test_read_visit_returns_the_time_shown_and_the_seconds_visible(noon):
    visit = read_visit({"shown": ago(40), "visible": "31.5"})

    assert visit == PageVisit(NOW - timedelta(seconds=40), 31.5)


@pytest.mark.parametrize(
    "shown",
    ["", "yesterday", "nan", "inf", "-1", "1e300", "0", "a\0", ago(-1), ago(31 * 24 * 3600)],
)
def test_read_visit_drops_an_impossible_time(noon, shown):
    assert read_visit({"shown": shown, "visible": "1"}) == PageVisit()


@pytest.mark.parametrize("visible", ["", "long", "nan", "inf", "-inf", "-1", "42", "1e300"])
def test_read_visit_drops_an_impossible_duration(noon, visible):
    visit = read_visit({"shown": ago(40), "visible": visible})

    assert visit == PageVisit(NOW - timedelta(seconds=40))


def test_read_visit_of_a_page_without_the_fields_is_unknown():
    assert read_visit({}) == PageVisit()


def test_repeat_visit_returns_valid_fields_only(noon):
    sent = {"shown": ago(40), "visible": "31.54", "pasted": 'x inspired_word2 <b> "'}

    again = repeat_visit(sent)

    assert again == {"shown": ago(40), "visible": "31.5", "pasted": "inspired_word2"}
    assert repeat_visit({"shown": "<b>", "visible": "nan"}) == {"pasted": ""}


def test_a_refused_form_keeps_its_visit(client, assignment):
    url, began = page("engage", assignment, 1), timezone.now() - timedelta(seconds=90)
    shown = str(round(began.timestamp() * 1000))
    about = {"shown": shown, "visible": "61.5", "pasted": "inspired_word1"}

    given_back = client.post(url, {"inspired_word1": "sea salt", **about})
    assert given_back.status_code == 422
    assert hidden_fields(given_back) == about
    client.post(url, {**WORDS, **hidden_fields(given_back)})

    shown_at, *rest = stored(
        assignment.responses.get(position=1),
        "words_shown_at", "words_visible_seconds", "has_pasted_word1", "has_pasted_word2",
    )  # fmt: skip
    assert abs((shown_at - began).total_seconds()) < 0.01
    assert rest == [61.5, True, False]


def test_a_refused_rating_keeps_its_visit(client, assignment):
    record_engagement(progress_of(assignment), "sea", "salt")
    about = {"shown": str(round((time.time() - 90) * 1000)), "visible": "61.5", "layout": "row"}

    given_back = client.post(page("rate", assignment, 1), about)

    assert given_back.status_code == 422
    assert hidden_fields(given_back) == about


@pytest.mark.parametrize(
    ("pasted", "fields"),
    [
        ("inspired_word1", (True, False)),
        ("inspired_word2 inspired_word1", (True, True)),
        ("inspired_word3 x", (False, False)),
        ("inspired_word12", (False, False)),
        ("", (False, False)),
    ],
)
def test_read_pasted_recognizes_the_two_fields(pasted, fields):
    assert read_pasted({"pasted": pasted}) == fields
    assert read_pasted({}) == (False, False)


def start_ten_texts():
    """Return an assignment of ten texts of 45 seconds each."""
    study = make_study(10, block_size=10)
    Study.objects.update(seconds_per_item=45)
    return start(study)


def fill(assignment, n_items, seconds):
    """Answer items whose pages were visible for these seconds each."""
    seen = PageVisit(None, seconds)
    for _ in range(n_items):
        record_engagement(progress_of(assignment), "morje", "sol", visit=seen)
        record_rating(progress_of(assignment), Decimal(3), visit=seen)


@pytest.mark.parametrize("seconds", [None, 6, 900], ids=["unknown", "hasty", "left open"])
def test_pages_with_a_text_say_no_time_whatever_the_pace(client, db, seconds):
    assignment = start_ten_texts()
    fill(assignment, 3, seconds)
    words = client.get(page("engage", assignment, 4)).content.decode()
    record_engagement(progress_of(assignment), "morje", "sol")

    for shown in (words, client.get(page("rate", assignment, 4)).content.decode()):
        assert "Text 4 of 10" in shown
        assert "minute" not in shown
