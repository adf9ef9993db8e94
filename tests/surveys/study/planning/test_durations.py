"""Estimates of how long annotators take."""

import pytest

from surveys.models import Study, TextKind
from surveys.models.study import Writes
from surveys.participation.assignments import count_items
from surveys.rehearsal.demo import DEMO_LANGUAGES, prepare_demo_studies
from surveys.study.design import configure_study
from surveys.study.planning.durations import (
    SECONDS_OF_FIRST_PAGE,
    SECONDS_TO_ANSWER,
    SECONDS_TO_CHOOSE,
    WORDS_A_MINUTE,
    Times,
    as_minutes,
    count_words,
    estimate_seconds,
    introduction_seconds,
    reading_seconds,
    times_of,
)
from surveys.study.texts import set_text
from tests.factories.studies import make_study

MINUTE = " ".join(["Words"] * WORDS_A_MINUTE)
PRACTICE = """
text = "A <strong>cat</strong> saw a <strong>dog</strong>."
words = ["fur", "home"]
explanation = "{explanation}"
"""
CHECK = """
[[questions]]
question = "{question}"
answers = ["One", "Two"]
right = 1
why = "Long explanations are read by those alone who were wrong."
"""


def test_reading_takes_a_minute_for_238_words():
    assert reading_seconds(MINUTE) == 60


@pytest.mark.parametrize(
    ("text", "n_words"),
    [
        ("", 0),
        ("Two words.", 2),
        ("今天下雨了。", 5),
        ("きょうは", 4),
        ("epäjärjestelmällisyys", 3.5),
        ("ภาษาไทยไม่มีวรรค", 16 / 6),
    ],
)
def test_words_are_counted_in_any_script(text, n_words):
    assert count_words(text) == pytest.approx(n_words)


def test_an_item_is_read_one_and_a_half_times_and_answered():
    assert estimate_seconds([MINUTE, MINUTE]) == 90 + SECONDS_TO_ANSWER[Writes.ASSOCIATIONS]


@pytest.mark.django_db
def test_an_introduction_includes_all_steps_before_the_first_text():
    study = configure_study(make_study(1), n_check_tries=1)
    set_text(study, TextKind.CONSENT, MINUTE)
    set_text(study, TextKind.INSTRUCTIONS, f"{MINUTE} {MINUTE}")
    set_text(study, TextKind.PRACTICE, PRACTICE.format(explanation=MINUTE))
    set_text(study, TextKind.CHECK, CHECK.format(question=MINUTE))

    text = estimate_seconds(["A cat saw a dog."])
    choosing = SECONDS_TO_CHOOSE + reading_seconds("One Two")
    assert introduction_seconds(study) == round(
        SECONDS_OF_FIRST_PAGE + 60 + 120 + text + 60 + 60 + choosing
    )


@pytest.mark.django_db
def test_steps_that_a_study_lacks_take_no_time():
    study = make_study(1)
    set_text(study, TextKind.CONSENT, MINUTE)
    set_text(study, TextKind.INSTRUCTIONS, MINUTE)
    set_text(study, TextKind.PRACTICE, "")

    assert study.n_check_tries == 0
    assert introduction_seconds(study) == SECONDS_OF_FIRST_PAGE + 120


def test_times_add_the_introduction_once():
    assert Times(introduction=180, item=45).first_minutes(7) == 8
    assert as_minutes(7 * 45) == 5
    assert as_minutes(1) == 1


@pytest.mark.django_db
def test_the_demo_takes_seven_to_eight_minutes():
    studies = prepare_demo_studies()

    minutes = {one.language: times_of(one).first_minutes(count_items(one)) for one in studies}

    assert minutes == {"en": 8, "hr": 7, "sl": 7, "fi": 7}
    assert [study.slug for study in studies] == [f"demo-{language}" for language in DEMO_LANGUAGES]
    assert not Study.objects.filter(opened_at=None).exists()
