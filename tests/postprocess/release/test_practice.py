import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from postprocess.formats.files import read_dataset
from postprocess.formats.reading import read_ratings
from postprocess.formats.stimuli import parse_stimuli, render_stimuli
from postprocess.formats.tabular import fold
from postprocess.release import ReleaseError
from postprocess.release.assembling import Collected
from postprocess.release.practice import check_disjoint, split_pairs
from tests.postprocess.release.releases import (
    collect,
    full_description,
    numbered_row,
    release,
    release_with_practice,
)

WORD = st.sampled_from(["okno", "Okno", "OKNO", "vrata", "čas", "c\u030cas", "ura", "dan"])
TEXT = st.sampled_from(
    [
        "Bil je <strong>dan</strong>.",
        "bil je dan.",
        "Bil  JE dan.",
        "Čas je.",
        "C\u030cas je.",
        "x",
        "y",
    ]
)
ROWS = st.lists(
    st.tuples(WORD, WORD, TEXT, TEXT).map(lambda row: (*row, "", "", "", "")),
    min_size=2,
    max_size=12,
)


def shared(test, practice):
    """Return the word pairs and texts that two lists of rows share."""

    def normalise(text):
        plain = text.replace("<strong>", "").replace("</strong>", "")
        caseless = unicodedata.normalize("NFC", plain).casefold()
        return " ".join(unicodedata.normalize("NFC", caseless).split())

    pairs = [{frozenset(map(normalise, row[:2])) for row in rows} for rows in (test, practice)]
    texts = [{normalise(text) for row in rows for text in row[2:4]} for rows in (test, practice)]
    return pairs[0] & pairs[1], texts[0] & texts[1]


def split_or_proposed(rows, n_practice, seed):
    """Return the requested split, or the one that the error message proposes."""
    try:
        return n_practice, split_pairs(rows, n_practice, seed=seed)
    except ReleaseError as error:
        possible = int(str(error).rpartition(" ")[2])
        return possible, split_pairs(rows, possible, seed=seed)


@given(ROWS, st.integers(1, 11), st.integers(0, 3))
def test_practice_and_test_pairs_share_nothing(rows, n_practice, seed):
    n_practice, split = split_or_proposed(rows, n_practice % len(rows), seed)

    test, practice = ([rows[n] for n in part] for part in (split.test, split.practice))
    assert sorted(split.order) == list(range(len(rows)))
    assert len(practice) == n_practice
    assert shared(test, practice) == (set(), set())


@given(ROWS, st.randoms(), st.integers(1, 3))
def test_split_pairs_ignores_the_order_of_rows(rows, chance, n_practice):
    rows = list(dict.fromkeys(rows))
    assume(n_practice < len(rows))
    shuffled = chance.sample(rows, len(rows))
    try:
        split = split_pairs(rows, n_practice)
    except ReleaseError:
        with pytest.raises(ReleaseError):
            split_pairs(shuffled, n_practice)
        return
    again = split_pairs(shuffled, n_practice)

    assert {rows[n] for n in split.practice} == {shuffled[n] for n in again.practice}


def test_split_pairs_depends_on_the_seed():
    rows = [numbered_row(number) for number in range(50)]

    choices = {split_pairs(rows, 5, seed=seed).practice for seed in range(10)}

    assert len(choices) == 10


@pytest.mark.parametrize("n_practice", [-1, 3, 4])
def test_split_pairs_refuses_to_leave_no_test_pair(n_practice):
    with pytest.raises(ReleaseError, match="at least one pair must remain"):
        split_pairs([numbered_row(number) for number in range(3)], n_practice)


def test_split_pairs_refuses_a_number_that_splits_groups():
    rows = [numbered_row(1), numbered_row(1, word1="BETA1", word2="Alpha1", context1="Other.")]

    with pytest.raises(ReleaseError, match="try 0"):
        split_pairs([*rows, *rows], 1)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"word1": "BETA1", "word2": "Alpha1"}, "the same word pair: row 1"),
        ({"context2": numbered_row(1)[2].upper().replace("STRONG", "strong")}, "the same text"),
    ],
)
def test_check_disjoint_refuses_overlapping_files(changes, kind):
    files = {
        "test": render_stimuli([numbered_row(1), numbered_row(2)]).encode(),
        "practice": render_stimuli([numbered_row(3, **changes)]).encode(),
    }

    with pytest.raises(ReleaseError, match=kind):
        check_disjoint(files, "test", "practice")


def test_check_disjoint_accepts_disjoint_files():
    files = {
        "test": render_stimuli([numbered_row(1)]).encode(),
        "practice": render_stimuli([numbered_row(2)]).encode(),
    }

    check_disjoint(files, "test", "practice")


def test_fold_ignores_case_composition_and_spacing():
    assert fold("Straße  c\u030cas\u00a0") == fold("STRASSE Čas")
    assert fold("čas") != fold("cas")


def test_a_release_of_the_published_slovene_data_has_a_disjoint_practice_kit(published):
    """Two Slovene pairs occur twice, with different contexts."""
    stimuli = parse_stimuli((published / "data_sl.tsv").read_bytes())
    ratings = read_ratings((published / "ratings_sl.csv").read_bytes(), "sl")
    twice = [row for row in stimuli.rows if [r[:2] for r in stimuli.rows].count(row[:2]) > 1]
    assert len(twice) == 4
    for seed in range(5):
        split = split_pairs(stimuli.rows, 20, seed=seed)
        parts = ([stimuli.rows[n] for n in part] for part in (split.test, split.practice))
        assert shared(*parts) == (set(), set())

    files = release(Collected(stimuli, ratings), full_description(), n_practice=20, seed=4).files

    test = parse_stimuli(files["data/data_sl.tsv"]).rows
    practice = parse_stimuli(files["practice_kit/data_sl.tsv"]).rows
    assert (len(test), len(practice)) == (91, 20)
    assert sorted([*test, *practice]) == sorted(stimuli.rows)
    assert shared(test, practice) == (set(), set())
    scores = read_dataset((published / "cosimlex_sl.csv").read_bytes())
    for name, rows in (("", test), ("practice_kit/", practice)):
        dataset = read_dataset(files[f"{name}cosimlex_sl.csv"])
        by_row = {tuple(row): sim for row, sim in zip(stimuli.rows, scores["sim1"], strict=True)}
        assert dataset["sim1"].tolist() == [by_row[row] for row in rows]


def test_practice_pairs_come_after_the_test_pairs_in_the_ratings():
    files = release_with_practice().files
    test, practice = (
        parse_stimuli(files[name]).rows for name in ("data/data_sl.tsv", "practice_kit/data_sl.tsv")
    )
    rebuilt = release(collect(rows=[*test, *practice])).files

    assert (len(test), len(practice)) == (4, 2)
    assert rebuilt["data/data_sl.tsv"] == render_stimuli([*test, *practice]).encode()
    assert set(read_ratings(files["ratings_sl.tsv"], "sl")["pair"]) == set("123456")
