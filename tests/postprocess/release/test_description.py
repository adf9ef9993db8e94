import datetime
import tomllib

import pytest

from postprocess.release.description.study import (
    Description,
    DescriptionError,
    fill_in,
    parse_description,
    read_entries,
)
from postprocess.release.description.template import render_template
from tests.postprocess.release.releases import full_description, full_entries

HOSTILE = '"x" = [1] # \\ \x7f \u2029 <b>| ž'.replace("\u2029", "").replace("\x7f", "")


def test_a_rendered_description_is_parsed_unchanged():
    described = full_description()

    assert parse_description(described.render().encode()) == described


@pytest.mark.parametrize("described", [Description(), full_description()])
def test_a_template_is_parsed_as_its_description(described):
    assert parse_description(render_template(described).encode()) == described


def test_a_template_asks_for_what_is_missing():
    entries = full_entries()
    del entries["pay"]["adequacy"]

    lines = render_template(read_entries(entries)).splitlines()

    asked = [line for line in lines if line.startswith("# ") and '= ""' in line]
    assert asked == ['# adequacy = ""  # why the pay is adequate where the annotators live']


def test_a_template_omits_sections():
    asked = render_template(Description(), without=("recruitment", "collection")).splitlines()

    assert "[dataset]" in asked
    assert not [line for line in asked if "recruitment" in line or "[collection]" in line]


def test_hostile_text_survives_a_template_and_the_file():
    described = read_entries({"dataset": {"title": HOSTILE}, "scale": {"labels": {"0": HOSTILE}}})

    for text in (described.render(), render_template(described)):
        assert parse_description(text.encode()) == described


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[dataset]\ntitel = 'x'", "dataset.titel: unknown entry"),
        ("[dataset]\nlicence = 'mine'", "dataset.licence: must be one of CC0-1.0, CC-BY-4.0"),
        ("[dataset]\nversion = '1.0'", "dataset.version: string should match pattern"),
        ("[dataset]\nurl = 'javascript:alert(1)'", "dataset.url: must be a URL"),
        ("[dataset]\ntitle = 'a\\nb'", None),
        ('[dataset]\ntitle = "a\\nb"', "dataset.title: must be a single line"),
        ('[dataset]\ntitle = "a\\u0007"', "contains the control character U\\+0007"),
        ("[dataset]\nsummary = 'TODO: x'", 'dataset.summary: still contains the placeholder'),
        ("[pay]\namount = 'Lorem ipsum'", "pay.amount: still contains the placeholder"),
        ("[ethics]\nreview = '[TO BE WRITTEN BY A PERSON, D4: x]'", "review: still contains"),
        ("[dataset]\nreleased_on = 'soon'", "dataset.released_on: invalid isoformat"),
        ("[[authors]]\norcid = '0000-0002-1825-0097'", "authors.1: give either family_names"),
        ("[[texts]]\nkind = 'consent'\nbody = 'x'\n[[texts]]\nkind = 'consent'\nbody = 'y'",
         "the same version of a text occurs twice: texts/consent_1.md"),
        ("format = 2", "format: input should be 1"),
        ("[scale\n", "the description is not valid TOML"),
    ],
)  # fmt: skip
def test_parse_description_names_the_wrong_entry(text, message):
    if message is None:
        assert parse_description(text.encode()).dataset.title == "a\\nb"
        return
    with pytest.raises(DescriptionError, match=message):
        parse_description(text.encode())


def test_empty_entries_are_left_out():
    assert parse_description(b'[dataset]\ntitle = " "\nurl = ""') == Description()


def test_a_date_may_be_written_as_text():
    described = parse_description(b'[dataset]\nreleased_on = "2026-11-30"')

    assert described.dataset.released_on == datetime.date(2026, 11, 30)


def test_fill_in_prefers_the_person_except_for_facts():
    written = read_entries(
        {"dataset": {"title": "Written"}, "collection": {"ratings_per_context": 5},
         "consent": {"publishes_words": True}, "pay": {"amount": "none"}}
    )  # fmt: skip
    facts = read_entries(
        {"dataset": {"title": "Known", "released_on": datetime.date(2026, 1, 1)},
         "collection": {"ratings_per_context": 10}, "consent": {"obtained": "On a page."},
         "recruitment": [{"channel": "Prolific"}]}
    )  # fmt: skip

    filled = fill_in(written, facts)

    assert filled.dataset.title == "Written"
    assert filled.dataset.released_on == datetime.date(2026, 1, 1)
    assert filled.collection.ratings_per_context == 10
    assert filled.consent.obtained == "On a page."
    assert not filled.consent.publishes_words
    assert filled.pay.amount == "none"
    assert filled.recruitment[0].channel == "Prolific"


def test_render_omits_unknown_entries():
    assert tomllib.loads(read_entries({"dataset": {"title": "x"}}).render()) == {
        "format": 1, "dataset": {"title": "x"},
        "consent": {"publishes_words": False},
    }  # fmt: skip
