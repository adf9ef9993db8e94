"""Annotators who give every text of a questionnaire the same rating."""

import pandas as pd
import pytest

from postprocess.steps.post_process import UNCOMPARED, post_process
from postprocess.steps.recipe import Recipe, read_recipe
from postprocess.table.ratings import RatingsError

RISING, FALLING = [0, 1, 3, 5, 6, 2], [1, 0, 3, 5, 6, 2]
OUT, UNDEFINED = "constant ratings", "agreement undefined: constant ratings"
EARLIER = read_recipe("cosimlex").model_copy(update={"filtering": Recipe().filtering})


def tabulate(**groups):
    """Return the ratings of groups such as a1: context 1 of the pairs from 1, or b2 after those.

    Each group has a list of ratings for each annotator.
    """
    rows, start = [], {"a": 0, "b": 6}
    for name, people in groups.items():
        for number, given in enumerate(people):
            annotator = f"{name}-{number}"
            rows += [(start[name[0]] + place, int(name[1]), annotator, rating, name)
                     for place, rating in enumerate(given, 1)]  # fmt: skip
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])


def run(ratings, recipe=None):
    return post_process(
        ratings, recipe or read_recipe("cosimlex"), n_pairs=int(ratings["pair"].max())
    )


def reasons_of(outcome, group):
    of_group = outcome.annotators[outcome.annotators["group"] == group]
    return list(zip(of_group["decision"], of_group["reason"], strict=True))


@pytest.mark.parametrize(("n_texts", "found"), [(5, ("left out", OUT)), (4, ("kept", UNDEFINED))])
def test_constant_ratings_are_left_out_from_five_texts(n_texts, found):
    whole = tabulate(a1=[[3] * n_texts] * 3, a2=[RISING[:n_texts], FALLING[:n_texts]],
                     b1=[RISING, FALLING], b2=[RISING, FALLING])  # fmt: skip
    ratings = whole.assign(pair=pd.factorize(whole["pair"], sort=True)[0] + 1)

    outcome = run(ratings)

    assert reasons_of(outcome, "a1") == [found] * 3
    assert (outcome.pairs["n1"] == 0).sum() == (n_texts if n_texts == 5 else 0)


def test_a_pair_without_a_score_stays_with_the_reason():
    outcome = run(tabulate(a1=[[3] * 6] * 3, a2=[RISING, FALLING], b1=[RISING, FALLING],
                           b2=[RISING[::-1], FALLING[::-1]]))  # fmt: skip

    lost = outcome.pairs.loc[1:6]
    assert outcome.scores.index.tolist() == [7, 8, 9, 10, 11, 12]
    assert set(lost["note"]) == {"no score in context 1: constant ratings"}
    empty = ["sim1", "stdev1", "median1", "change", "pvalue", "pvalue_two_sided", "qvalue", "delta"]
    assert lost[empty].isna().all(axis=None)
    assert lost["sim2"].notna().all()
    assert set(outcome.scores["note"]) == {""}
    alone = run(tabulate(a1=[RISING, FALLING], a2=[RISING[::-1], FALLING[::-1]]))
    assert outcome.scores["qvalue"].tolist() == alone.scores["qvalue"].tolist()


def test_a_group_of_few_texts_that_are_rated_the_same_is_kept_and_noted():
    few = tabulate(a1=[[3] * 4] * 3, a2=[[5] * 4] * 3)

    outcome = run(few)

    assert set(outcome.pairs["note"]) == {UNCOMPARED}
    assert len(outcome.uncompared) == 8
    assert (outcome.pairs["stdev1"] == 0).all()


@pytest.mark.parametrize(
    ("people", "found"),
    [
        ([[3] * 6, RISING, FALLING], [("left out", OUT), ("kept", ""), ("kept", "")]),
        ([[3] * 6, [2] * 6, RISING], [("left out", OUT), ("left out", OUT), ("kept", UNDEFINED)]),
        ([[3] * 6], [("left out", OUT)]),
    ],
    ids=["one of three", "all but one", "alone"],
)
def test_constant_ratings_are_left_out_whoever_can_be_compared(people, found):
    others = {"a2": [RISING, FALLING], "b1": [RISING, FALLING], "b2": [RISING, FALLING]}

    outcome = run(tabulate(a1=people, **others))

    assert reasons_of(outcome, "a1") == found
    assert len(outcome.uncompared) == (6 if found[-1][1] == UNDEFINED else 0)


def test_an_annotator_is_left_out_of_the_group_with_constant_ratings_alone():
    ratings = tabulate(a1=[[3] * 6, RISING, FALLING], a2=[RISING, FALLING], b1=[RISING, FALLING],
                       b2=[FALLING, RISING, FALLING])  # fmt: skip
    ratings["annotator"] = ratings["annotator"].replace({"b2-0": "a1-0"})

    of_one = run(ratings).annotators.set_index(["annotator", "group"]).loc["a1-0"]

    assert of_one["decision"].to_dict() == {"a1": "left out", "b2": "kept"}


@pytest.mark.parametrize(
    "groups",
    [{"a1": [[3] * 6] * 2, "a2": [[4] * 6] * 2}, {"a1": [[3] * 6] * 2, "a2": [RISING, FALLING]}],
    ids=["no context", "no pair"],
)
def test_ratings_that_leave_no_pair_are_refused(groups):
    with pytest.raises(RatingsError, match=r"^after filtering, contexts without ratings: pair 1"):
        run(tabulate(**groups))


def test_contexts_lost_for_other_reasons_are_still_refused():
    whole = tabulate(a1=[RISING] * 4 + [RISING[::-1]], a2=[RISING, FALLING])
    ratings = whole[(whole["pair"] != 6) | (whole["context"] == 2) | (whole["annotator"] == "a1-4")]

    with pytest.raises(RatingsError, match=r"without ratings: pair 6 context 1; collect"):
        run(ratings)


@pytest.mark.parametrize("recipe", [EARLIER, read_recipe("raw")], ids=["earlier", "raw"])
def test_recipes_without_the_setting_keep_them(recipe):
    outcome = run(tabulate(a1=[[3] * 6] * 3, a2=[[5] * 6] * 3), recipe)

    assert set(outcome.annotators["decision"]) == {"kept"}
    assert "note" not in outcome.pairs
    assert "constant_from" not in recipe.render()
