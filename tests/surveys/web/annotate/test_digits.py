"""Digits of annotators' pages: Persian ones in Persian, those that a study chose in Arabic."""

import re
from decimal import Decimal

import pytest

from surveys.participation.answers import record_engagement
from surveys.study.design import configure_study
from surveys.web.rendering.study_page import direction_of
from tests.factories.arrivals import page, squeeze
from tests.factories.studies import make_study, progress_of, rate_due, start, stored

pytestmark = pytest.mark.django_db


def read_pages(client, language: str, digits: str = "") -> tuple[str, str]:
    """Return both pages of the first text of a study, without whitespace around tags."""
    assignment = start(configure_study(make_study(3, language=language), digits=digits))
    words = squeeze(client.get(page("engage", assignment, 1)))
    record_engagement(progress_of(assignment), "sea", "salt")
    return words, squeeze(client.get(page("rate", assignment, 1)))


@pytest.mark.parametrize(
    ("language", "digits", "tag", "said", "point"),
    [
        ("fa", "", "fa", "متن ۱ از ۳", "۴"),
        ("fa-AF", "", "fa", "متن ۱ از ۳", "۴"),
        ("fa", "latn", "fa-u-nu-latn", "متن 1 از 3", "4"),
        ("ar", "", "ar", "النص 1 من 3", "4"),
        ("ar", "arab", "ar-u-nu-arab", "النص ١ من ٣", "٤"),
        ("sl", "arab", "sl", "Besedilo 1 od 3", "4"),
        ("ur", "arabext", "en", "Text 1 of 3", "4"),
    ],
)
def test_pages_write_numbers_in_the_digits_of_the_study(client, language, digits, tag, said, point):
    words, rating = read_pages(client, language, digits)

    for shown in (words, rating):
        assert (
            f'<html lang="{tag}" dir="{"rtl" if language[:2] in ("ar", "fa") else "ltr"}"' in shown
        )
        assert said in shown
    assert re.search(rf'value="4"[^>]*><span class="point"><span[^>]*>{point}<', rating)
    assert "alpha" in words  # with a digit, which is the text's own
    assert re.search(r"alpha\d", words)


def test_the_direction_does_not_depend_on_the_digits():
    assert [direction_of(tag) for tag in ("ar-u-nu-arab", "fa-u-nu-latn", "sl")] == [
        "rtl", "rtl", "ltr",
    ]  # fmt: skip


@pytest.mark.parametrize("written", ["57", "۵۷", "٥٧"])
def test_a_number_is_read_in_any_digits_and_shown_in_those_of_the_page(client, written):
    study = make_study(2, language="fa", scale_minimum=1, scale_maximum=100)
    assignment = start(study)
    record_engagement(progress_of(assignment), "sea", "salt")

    refused = client.post(page("rate", assignment, 1), {"rating": "101"}).content.decode()
    client.post(page("rate", assignment, 1), {"rating": written})

    assert "از ۱ تا ۱۰۰" in refused or "۱۰۰" in refused
    assert stored(assignment.responses.get(position=1), "rating") == (57,)


def test_negative_numbers_keep_their_direction_in_writing_from_right_to_left(client):
    study = make_study(2, language="ar", scale_minimum=-3, scale_maximum=Decimal(3))
    assignment = start(study)
    rate_due(assignment, -3)

    change = client.get(page("change", assignment, 1)).content.decode()
    change = change.partition("<footer")[0]  # where instructions have a figure, written apart

    assert change.count("\u2066−3\u2069") >= 2  # the point, its name, and the button
    assert "−3" not in change.replace("\u2066−3\u2069", "")


@pytest.mark.parametrize(
    ("language", "rating", "shown"),
    [("fa", 57, "۵۷"), ("ar", -17, "\u2066−17\u2069"), ("en", 57, "57")],
)
def test_the_number_to_change_is_in_the_digits_of_the_page_and_can_be_sent_again(
    client, language, rating, shown
):
    study = make_study(2, language=language, scale_minimum=-20, scale_maximum=80)
    assignment = start(study)
    rate_due(assignment, rating + 1)
    client.post(page("change", assignment, 1), {"rating": shown})

    change = client.get(page("change", assignment, 1)).content.decode()

    assert f'value="{shown}"' in change
    assert stored(assignment.responses.get(position=1), "rating") == (rating,)


def test_the_number_field_is_empty_for_what_could_not_be_judged(client):
    study = make_study(2, scale_minimum=1, scale_maximum=100)
    assignment = start(configure_study(study, allows_unjudgeable=True))
    rate_due(assignment, 5)
    client.post(page("change", assignment, 1), {"rating": "cannot"})

    change = client.get(page("change", assignment, 1)).content.decode()

    assert 'value=""' in change.partition('id="rating"')[2].partition(">")[0]
    assert change.count('value="cannot"') == 1
