from dataclasses import replace

import pytest

from postprocess.table.ratings import RatingsError, Scale
from postprocess.two_collections.matching import align, match_pairs
from tests.factories.collections import collection_of, scores_of
from tests.factories.ratings import simulate_study

SIMS = [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0), (7.0, 8.0)]


def row(word1, word2, context1, context2):
    return (word1, word2, context1, context2, "", "", "", "")


ROWS = tuple(row(f"a{n}", f"b{n}", f"one {n}", f"two {n}") for n in range(4))


def test_match_pairs_finds_the_same_texts_in_another_order():
    shuffled = (ROWS[2], row("A1", "b1", "two  1", "<strong>one</strong> 1"), ROWS[0], ROWS[3])
    first, second = scores_of(SIMS, rows=ROWS), scores_of(SIMS, "B", rows=shuffled)

    found = match_pairs(first, second)

    assert found.by == "texts"
    assert found.first.tolist() == [1, 2, 3, 4]
    assert found.second.tolist() == [3, 2, 1, 4]
    assert found.is_swapped.tolist() == [False, True, False, False]
    sims = align(first, second, found).scores[1][["sim1", "sim2"]].to_numpy().tolist()
    assert sims == [[5, 6], [4, 3], [1, 2], [7, 8]]  # the contexts of pair 2 exchanged


def test_match_pairs_uses_numbers_for_equal_stimuli_and_for_two_languages():
    first = scores_of(SIMS, rows=(ROWS[0], ROWS[0], ROWS[2], ROWS[3]))  # a pair that occurs twice

    assert match_pairs(first, replace(first, name="B")).by == "number"
    assert match_pairs(first, scores_of(SIMS, rows=ROWS, language="fi")).by == "number"


@pytest.mark.parametrize(
    ("by", "rows", "message"),
    [
        ("texts", (*ROWS[:3], row("a3", "b3", "x", "y")), r"A: row 4 \(a3, b3\); B: row 4"),
        ("words", (*ROWS[:3], row("c", "d", "x", "y")), r"A: row 4 \(a3, b3\); B: row 4 \(c, d\)"),
        ("words", (*ROWS[:3], ROWS[2]), "B has the same words in rows 3 and 4.*match by texts"),
        ("number", (ROWS[1], *ROWS[1:]), r"other words in A and B: row 1 \(a0, b0; a1, b1\)"),
        ("number", ROWS[:3], r"A: row 4 \(a3, b3\)\. Correct"),
        ("sound", ROWS, "name one of number, words, texts"),
    ],
)
def test_match_pairs_refuses_what_it_cannot_match(by, rows, message):
    second = scores_of(SIMS[: len(rows)], "B", rows=rows)

    with pytest.raises(RatingsError, match=message):
        match_pairs(scores_of(SIMS, rows=ROWS), second, by=by)


def test_match_pairs_leaves_out_what_only_one_has_if_asked():
    second = scores_of(SIMS[:3], "B", rows=(row("c", "d", "x", "y"), ROWS[3], ROWS[1]))

    found = match_pairs(scores_of(SIMS, rows=ROWS), second, only_matched=True)

    assert found.first.tolist() == [2, 4]
    assert found.second.tolist() == [3, 2]
    assert (found.only_first, found.only_second) == ((1, 3), (1,))


def test_match_pairs_refuses_collections_without_a_common_pair():
    second = scores_of(SIMS[:1], "B", rows=(row("c", "d", "x", "y"),))

    with pytest.raises(RatingsError, match="the other does not have"):
        match_pairs(scores_of(SIMS, rows=ROWS), second, only_matched=True)


def test_align_brings_scores_and_ratings_to_the_scale_of_the_first():
    ratings = simulate_study(4, 3)
    first = scores_of(SIMS, published=Scale(0, 100))
    second = collection_of(ratings, "B")

    aligned = align(first, second, match_pairs(first, second))

    assert aligned.ratings[0] is None
    assert aligned.ratings[1]["rating"].tolist() == pytest.approx(
        (ratings.sort_values(["pair", "context", "annotator"])["rating"] / 6 * 100).tolist()
    )
    scores = aligned.ratings[1].groupby(["pair", "context"])["rating"].agg(["mean", "std"])
    assert aligned.scores[1]["sim2"].tolist() == pytest.approx(
        scores["mean"].xs(2, level=1).tolist()
    )
    assert aligned.scores[1]["stdev1"].tolist() == pytest.approx(
        scores["std"].xs(1, level=1).tolist()
    )
