from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from postprocess.reporting.two_collections.comparison_files import render_page
from postprocess.reporting.two_collections.tables import tabulate_contexts, tabulate_summary
from postprocess.steps.post_process import UNCOMPARED, post_process
from postprocess.steps.recipe import read_recipe
from postprocess.table.ratings import RatingsError, Scale
from postprocess.two_collections.collection import collection_of_outcome
from postprocess.two_collections.comparing import (
    compare_collections,
    count_distributions,
    render_tables,
)
from tests.factories.collections import (
    BRIEF,
    MODEL,
    collection_of,
    rerate,
    scores_of,
)
from tests.factories.datasets import stimuli_for
from tests.factories.ratings import simulate_study


def test_comparison_has_the_same_bytes_for_the_same_ratings(comparison):
    ratings = simulate_study(24, n_blocks=2)
    mixed = collection_of(ratings.sample(frac=1, random_state=2))
    other = collection_of(rerate(ratings).iloc[::-1], "B")

    again = compare_collections(
        replace(mixed, traits=comparison.sides[0].traits), other, wanted=BRIEF
    )

    assert render_tables(again) == render_tables(comparison)


def test_contexts_have_their_distance_from_the_curve(comparison):
    contexts = comparison.tables["contexts"]
    line = comparison.tables["line"].set_index("first")["second"]

    assert contexts["expected"].tolist() == line.loc[contexts["score_first"]].tolist()
    residuals = contexts["score_second"] - contexts["expected"]
    assert contexts["residual"].tolist() == pytest.approx(residuals.tolist())
    assert contexts["residual"].mean() == pytest.approx(0, abs=1e-9)  # pooling keeps the mean


def test_report_describes_both_sides_and_what_differs_most(comparison):
    report = comparison.report

    assert report["first"]["n_annotators"] == 32
    assert report["second"] | {"source": None} == {
        "name": "B", "language": "sl", "source": None, "recipe": "raw", "n_pairs": 24,
        "n_ratings": 288, "n_annotators": 24, "n_scripted": 0,
        "scale": {"minimum": 0, "maximum": 6, "step": 1},
    }  # fmt: skip
    assert report["matching"]["n_pairs"] == 24
    listed = report["different_contexts"]["largest"]
    assert [one["pvalue"] for one in listed] == sorted(one["pvalue"] for one in listed)
    below = (comparison.tables["contexts"]["pvalue"] < 0.05).sum()
    assert report["different_contexts"]["n_below"]["pvalue"] == below


def test_kinds_are_compared_by_the_traits_that_are_known(comparison):
    kinds = comparison.tables["kinds"]
    contexts = comparison.tables["contexts"]

    assert kinds[["trait", "value", "n_pairs"]].to_numpy().tolist() == [
        ["pos", "noun", 12], ["pos", "verb", 12],
    ]  # fmt: skip
    nouns = contexts[contexts["pair"] % 2 == 1]["difference"]
    assert kinds["difference"].iloc[0] == pytest.approx(nouns.mean())
    assert kinds["absolute"].iloc[0] == pytest.approx(nouns.abs().mean())
    assert (kinds["low"] < kinds["difference"]).all()


def test_traits_of_the_second_follow_its_own_numbers():
    sims = [(1.0, 2.0), (3.0, 5.0), (5.0, 6.0), (9.0, 7.0)]
    first = scores_of(sims)
    traits = pd.DataFrame({"pos": ["d", "c", "b", "a"], "block": ["10", "9", None, "9"]},
                          index=first.scores.index)  # fmt: skip
    second = scores_of(sims, "B", rows=first.rows[::-1], traits=traits)

    kinds = compare_collections(first, second, by="words", wanted=BRIEF).tables["kinds"]

    assert kinds["value"].tolist() == ["a", "b", "c", "d", "9", "10"]
    # pair 1 of the first is the last of the second, with part of speech a
    assert kinds["difference"].iloc[0] == pytest.approx((9 - 1 + 7 - 2) / 2)
    assert kinds["low"].isna().all()  # fewer than three pairs


def test_relations_are_of_the_differences_with_the_texts(comparison):
    relations = comparison.tables["relations"]

    assert relations["confound"].tolist() == [
        "distance", "n_tokens", "position", "sentence", "same_sentence", "word1_first",
    ]  # fmt: skip
    assert set(relations["n_pairs"]) == {24}


def test_distributions_are_counted_on_the_scale_of_each_side():
    ratings = simulate_study(4, 3)
    wide = collection_of(ratings, "B", scale=Scale(0, 60, 10))
    wide = replace(wide, ratings=wide.ratings.assign(rating=wide.ratings["rating"] * 10))

    table = count_distributions(collection_of(ratings), wide)

    first, second = (table[table["side"] == side] for side in ("first", "second"))
    counts = np.bincount(ratings["rating"], minlength=7).tolist()
    assert first["n"].tolist() == second["n"].tolist() == counts
    assert second["point"].tolist() == [0, 10, 20, 30, 40, 50, 60]
    assert first["share"].sum() == pytest.approx(1)
    assert second["share_of_scale"].iloc[-1] == 1
    assert count_distributions(scores_of([(1, 2)]), scores_of([(1, 2)])).empty


def test_q_that_rests_on_uncompared_questionnaires_has_a_mark():
    """In the second collection, all ratings of one questionnaire are equal."""
    ratings = simulate_study(24, n_blocks=2)
    other = rerate(ratings)
    lone = ratings["group"].iloc[0]
    other["rating"] = other["rating"].where(other["group"] != lone, 3)
    recipe = read_recipe("cosimlex", ["filtering.constant_from=100"])
    first, second = (
        collection_of_outcome(
            post_process(table, recipe, n_pairs=24), stimuli_for(24).rows, name=name, language="sl"
        )
        for name, table in (("A", ratings), ("B", other))
    )

    comparison = compare_collections(first, second, wanted=BRIEF)

    contexts, pairs = comparison.tables["contexts"], comparison.tables["pairs"]
    is_alone = ratings["group"] == lone
    places = set(map(tuple, ratings.loc[is_alone, ["pair", "context"]].to_numpy().tolist()))
    noted = contexts[contexts["note"] != ""]
    assert set(map(tuple, noted[["pair", "context"]].to_numpy().tolist())) == places
    assert set(noted["note"]) == {f"second: {UNCOMPARED}"}
    assert set(pairs.loc[pairs["note"] != "", "pair"]) == {pair for pair, _ in places}
    (warning,) = comparison.report["warnings"]
    assert (
        warning == f"B: Of 48 contexts, {len(places)} rest on questionnaires in which nobody "
        "could be compared (†)."
    )
    assert comparison.report["different_contexts"]["n_noted"] == len(places)
    assert tabulate_summary(comparison.report)["contexts with q\u00a0<\u00a00.05"].endswith("†")
    rows = tabulate_contexts(comparison).rows
    assert any(cell.endswith(" †") for row in rows for cell in row)
    assert "B: Of 48 contexts" in render_page(comparison, {})
    swapped = compare_collections(second, first, wanted=BRIEF).tables["contexts"]
    assert set(swapped["note"]) == {"", f"first: {UNCOMPARED}"}


def test_a_comparison_needs_three_pairs():
    sims = [(1.0, 2.0), (3.0, 5.0)]

    with pytest.raises(RatingsError, match="2 pairs are in both"):
        compare_collections(scores_of(sims), scores_of(sims, "B"))


def test_files_of_a_models_ratings_have_its_stamp():
    first = scores_of([(1, 2), (3, 5), (5, 6)])
    marked, rehearsed = (
        compare_collections(first, replace(first, name="B", source=MODEL, **more), wanted=BRIEF)
        for more in ({}, {"n_scripted": 3})
    )

    assert {name.rpartition(".")[0][-6:] for name in render_tables(marked)} == {"_MODEL"}
    assert "contexts_REHEARSAL_MODEL.tsv" in render_tables(rehearsed)
    assert marked.report["second"]["source"]["kind"] == "model"
    assert rehearsed.report["stamps"] == ["REHEARSAL", "MODEL"]
