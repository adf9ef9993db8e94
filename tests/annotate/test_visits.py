"""What the hidden fields of a page say about how it was looked at."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from surveys.annotate.forms import read_pasted, read_visit
from surveys.answering import PageVisit

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def noon(monkeypatch) -> None:
    """It is noon."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)


def ago(seconds: float) -> str:
    """An instant as the page names it."""
    return str(round((NOW - timedelta(seconds=seconds)).timestamp() * 1000))


def test_read_visit_takes_when_a_page_was_sent_and_how_long_it_was_seen(noon):
    visit = read_visit({"shown": ago(40), "visible": "31.5"})

    assert visit == PageVisit(NOW - timedelta(seconds=40), 31.5)


@pytest.mark.parametrize(
    "shown",
    ["", "yesterday", "nan", "inf", "-1", "1e300", "0", "a\0", ago(-1), ago(31 * 24 * 3600)],
)
def test_read_visit_leaves_out_an_instant_that_cannot_be(noon, shown):
    assert read_visit({"shown": shown, "visible": "1"}) == PageVisit()


@pytest.mark.parametrize("visible", ["", "long", "nan", "inf", "-inf", "-1", "42", "1e300"])
def test_read_visit_leaves_out_a_span_that_cannot_be(noon, visible):
    visit = read_visit({"shown": ago(40), "visible": visible})

    assert visit == PageVisit(NOW - timedelta(seconds=40))


def test_read_visit_of_a_page_without_the_fields_is_unknown():
    assert read_visit({}) == PageVisit()


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
def test_read_pasted_knows_the_two_fields(pasted, fields):
    assert read_pasted({"pasted": pasted}) == fields
    assert read_pasted({}) == (False, False)
