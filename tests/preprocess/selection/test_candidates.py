"""Which windows an expert sees: extremes of models, the rest by chance."""

import numpy as np
import pandas as pd
import pytest

from preprocess.selection.candidates import (
    Choice,
    ChoiceError,
    leave_out_known,
    pick_candidates,
)


def windows_of(sizes: list[int], seed: int = 0) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    table = pd.DataFrame(
        {
            "window": [f"w{number:03}" for number in range(n)],
            "pair": np.repeat(np.arange(1, len(sizes) + 1), sizes),
            "distance": rng.integers(1, 40, n),
            "warnings": "",
        }
    )
    return table, pd.Series(rng.normal(size=n)), pd.Series(rng.normal(size=n))


def test_each_model_contributes_its_extremes():
    table, first, second = windows_of([30, 20])

    picked = pick_candidates(table, {"e5": first, "mini": second}, Choice(8))

    assert picked.groupby("pair").size().tolist() == [8, 8]
    for pair, rows in picked.groupby("pair"):
        of_pair = table["pair"] == pair
        by_reason = rows.set_index("picked")["window"]
        assert by_reason["e5: most similar"] == table.loc[first[of_pair].idxmax(), "window"]
        assert by_reason["e5: least similar"] == table.loc[first[of_pair].idxmin(), "window"]
        left = of_pair & ~table["window"].isin(by_reason.filter(like="e5").tolist())
        assert by_reason["mini: most similar"] == table.loc[second[left].idxmax(), "window"]
        assert (rows["picked"] == "random").sum() == 4
        assert rows["order"].tolist() == list(range(1, 9))
        assert rows["window"].is_unique


def test_the_order_does_not_tell_why_a_window_was_picked():
    table, first, second = windows_of([20] * 200)

    picked = pick_candidates(table, {"e5": first, "mini": second}, Choice(8))

    places = picked.loc[picked["picked"] == "e5: most similar", "order"].value_counts()
    assert places.index.nunique() == 8
    assert places.between(8, 45).all()


def test_the_two_windows_of_a_model_have_like_distances_if_asked():
    table, scores, _ = windows_of([40] * 5)

    picked = pick_candidates(table, {"e5": scores}, Choice(4, distance_within=2))

    for pair, rows in picked.groupby("pair"):
        extremes = rows[rows["picked"].str.startswith("e5")]
        assert extremes["distance"].max() - extremes["distance"].min() <= 2
        group = table[table["pair"] == pair]
        best = max(
            scores[a] - scores[b]
            for a in group.index
            for b in group.index
            if a != b and abs(table["distance"][a] - table["distance"][b]) <= 2
        )
        contrast = extremes["score_e5"].max() - extremes["score_e5"].min()
        assert contrast == pytest.approx(best)


def test_distances_differ_as_little_as_possible_if_none_are_alike():
    table, scores, _ = windows_of([4])
    table["distance"] = [1, 10, 30, 70]

    picked = pick_candidates(table, {"e5": scores}, Choice(2, distance_within=3))

    assert sorted(picked["distance"]) == [1, 10]


def test_windows_with_a_warning_are_picked_only_if_there_are_too_few_others():
    table, scores = windows_of([12])[0], pd.Series(np.arange(12.0))
    table.loc[[0, 5, 6, 11], "warnings"] = "end"
    warned = table["warnings"] != ""

    picked = pick_candidates(table, {"e5": scores}, Choice(8))
    more = pick_candidates(table, {"e5": scores}, Choice(10))

    assert sorted(picked["window"]) == sorted(table.loc[~warned, "window"])
    ends = picked.set_index("picked")["window"]
    assert ends["e5: most similar"] == table.loc[scores[~warned].idxmax(), "window"]
    assert ends["e5: least similar"] == table.loc[scores[~warned].idxmin(), "window"]
    assert set(picked["window"]) < set(more["window"])
    assert (more["warnings"] == "end").sum() == 10 - (~warned).sum()


def test_extremes_have_a_warning_if_all_but_one_window_do():
    table, scores, _ = windows_of([5])
    table.loc[1:, "warnings"] = "end"

    picked = pick_candidates(table, {"e5": scores}, Choice(4)).set_index("picked")["window"]

    assert picked["e5: most similar"] == table.loc[scores.idxmax(), "window"]


def test_pairs_with_few_windows_have_them_all():
    table, first, second = windows_of([1, 3, 5])

    picked = pick_candidates(table, {"e5": first, "mini": second}, Choice(8))

    assert sorted(picked["window"]) == sorted(table["window"])


def test_the_same_seed_gives_the_same_candidates_and_another_one_others():
    table, *_ = windows_of([50])

    first = pick_candidates(table, {}, Choice(8, seed=1))
    again = pick_candidates(table.sample(frac=1, random_state=3), {}, Choice(8, seed=1))
    other = pick_candidates(table, {}, Choice(8, seed=2))

    assert first["window"].tolist() == again["window"].tolist()
    assert set(first["window"]) != set(other["window"])


def test_no_windows_give_no_candidates():
    table, *_ = windows_of([0])

    assert pick_candidates(table, {}, Choice()).empty


def test_more_models_than_candidates_are_refused():
    table, first, second = windows_of([9])

    with pytest.raises(
        ChoiceError, match="2 models contribute 4 candidates, more than 3; choose some with"
    ):
        pick_candidates(table, {"e5": first, "mini": second}, Choice(3))


PLACE = {"file": "a.conllu", "document": "d1"}
WORDS = ("harbour", "village", "mountain", "castle", "garden", "market", "station", "forest")


def windows_at(*firsts: int, **changed: str) -> pd.DataFrame:
    """Return windows of three sentences that begin with these sentences of a document."""
    rows = [
        {"window": f"w{first}", "text": " ".join(WORDS[first % 8 :] + WORDS[: first % 8]) * 2,
         **PLACE, "first_sentence": first, "last_sentence": first + 2, **changed}
        for first in firsts
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["window", "text", *PLACE, "first_sentence", "last_sentence"])


@pytest.mark.parametrize(
    ("known", "left"),
    [
        (windows_at(), ["w1", "w4", "w7"]),
        (windows_at(4), ["w1", "w7"]),
        (windows_at(3), ["w7"]),
        (windows_at(6, window="x"), ["w1"]),
        (windows_at(6, window="x", document="d2"), ["w1", "w4", "w7"]),
        (windows_at(6, window="x", file="b.conllu"), ["w1", "w4", "w7"]),
        (windows_at(21, window="w7"), ["w1", "w4"]),
        (windows_at(20, text=windows_at(7)["text"].iloc[0] + "!"), ["w1", "w4"]),
    ],
)
def test_windows_that_are_known_or_overlap_or_read_alike_are_left_out(known, left):
    found = leave_out_known(windows_at(1, 4, 7), known)

    assert found["window"].tolist() == left
