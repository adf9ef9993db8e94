"""A small study and its release."""

import datetime
import functools
from dataclasses import replace

import numpy as np
import pandas as pd

from postprocess.release.assembling import Choices, Collected, build_release
from postprocess.release.description.study import read_entries
from postprocess.steps.recipe import read_recipe
from tests.factories.datasets import LITTLE_CHANCE
from tests.factories.stimuli_rows import parse_rows

KEY = "a key for tests alone"
RECIPE = read_recipe("raw", LITTLE_CHANCE)
SECRET_WORD = "zaljubljenost"


def numbered_row(number, **changes):
    one, two = f"alpha{number}", f"beta{number}"
    row = {
        "word1": one,
        "word2": two,
        "context1": f'"First came <strong>{one}</strong>. Rain fell. <strong>{two}</strong> left.',
        "context2": f"Here was <strong>{two}</strong>. Snow fell. <strong>{one}</strong> lay.",
        "word1_context1": one,
        "word2_context1": two,
        "word1_context2": one,
        "word2_context2": two,
    }
    return tuple({**row, **changes}.values())


def rate(n_pairs, n_annotators=6):
    """Return ratings of two groups with complementary contexts; one annotator withdrew."""
    rng = np.random.default_rng(7)
    rows = [
        (
            pair,
            (pair + half) % 2 + 1,
            f"worker-{half}-{annotator}",
            int(rng.integers(0, 7)),
            f"1{'AB'[half]}",
        )
        for pair in range(1, n_pairs + 1)
        for half in (0, 1)
        for annotator in range(n_annotators)
    ]
    ratings = pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])
    is_withdrawn = ratings["annotator"] == "worker-0-0"
    return ratings.assign(mark=np.where(is_withdrawn, "withdrawn", ""))


def words_of(ratings, word=SECRET_WORD):
    places = ratings[["pair", "context", "annotator"]]
    return places.assign(inspired_word1=word, inspired_word2='=cmd|" /C calc"!A0')


def collect(n_pairs=4, rows=None, **changes):
    rows = rows or [numbered_row(number) for number in range(1, n_pairs + 1)]
    collected = Collected(parse_rows(*rows), rate(len(rows)))
    return replace(collected, **changes)


def full_entries():
    """Return a description with every entry of a complete release."""
    prose = "Two sentences, with *signs*. They say what there is to say."
    return {
        "dataset": {
            "title": "Similarity of words in context",
            "version": "1.2.0",
            "released_on": datetime.date(2026, 11, 30),
            "licence": "CC-BY-4.0",
            "url": "https://example.org/data_set",
            "doi": "10.5281/zenodo.1234567",
            **dict.fromkeys(("summary", "uses", "limitations", "funding", "maintenance"), prose),
            "contact": "data@example.org",
            "keywords": ["Slovene"],
        },
        "authors": [
            {"family_names": "Novak", "given_names": "Ana", "orcid": "0000-0002-1825-0097"},
            {"name": "The Similarity Group"},
        ],
        "language": {"name": "Slovene", "variety": prose},
        "stimuli": {"creators": "found"} | dict.fromkeys(
            ("pairs_from", "contexts_from", "rationale", "writers", "situation", "licence",
             "characteristics"), prose,
        ),
        "annotators": {"creators": "crowdsourced"}
        | dict.fromkeys(("recruited", "qualifications", "demographics"), prose),
        "pay": {"amount": "2.10 EUR for 12 minutes", "adequacy": prose},
        "consent": {"obtained": prose},
        "ethics": {"review": prose, "risks": prose},
        "scale": {"minimum": 0, "maximum": 6, "labels": {"0": "not similar", "6": "the same"}},
        "collection": {
            "procedure": prose,
            "began_on": datetime.date(2026, 10, 1),
            "ended_on": datetime.date(2026, 10, 9),
            "ratings_per_context": 6,
            "pairs_per_sitting": 20,
            "median_seconds_per_item": 31.5,
            "n_annotators_withdrawn": 1,
        },
        "recruitment": [{"channel": "Prolific", "n_annotators": 12}],
        "texts": [
            {"kind": "consent", "version": 2, "body": "I agree.", "n_annotators": 12},
            {"kind": "instructions", "version": 1, "body": "# Read\n\nThen rate."},
        ],
    }  # fmt: skip


def full_description(**sections):
    return read_entries({**full_entries(), **sections})


def release(collected=None, description=None, **choices):
    """Return a release; that of all the defaults is built once, as tests only read it."""
    if collected is None and description is None and not choices:
        return _default_release()
    return _build(collected, description, **choices)


@functools.cache
def _default_release():
    return _build(None, None)


@functools.cache
def release_with_practice():
    """Return a release of six pairs, two of them in the practice kit; tests only read it."""
    return _build(collect(6), None, n_practice=2)


def _build(collected, description, **choices):
    return build_release(
        collected or collect(),
        description or full_description(),
        RECIPE,
        Choices(**{"key": KEY, **choices}),
        language="sl",
    )
