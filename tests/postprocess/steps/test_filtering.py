import pandas as pd
import pytest

from postprocess.steps.ledger import explain
from postprocess.steps.single_steps import filter_annotators

GOOD = {"A": [0, 1, 2, 3, 4], "B": [0, 1, 2, 3, 4], "C": [0, 1, 2, 3, 4]}


def decisions(filtering):
    rows = filtering.annotators
    return dict(
        zip(rows["annotator"], zip(rows["decision"], rows["reason"], strict=True), strict=True)
    )


def test_filter_annotators_leaves_out_low_agreement(ratings_of):
    # three agree fully and D is their reverse: averages 1/3, 1/3, 1/3, -1; mean 0, SD 2/3
    ratings = ratings_of(**GOOD, D=[4, 3, 2, 1, 0])

    filtering = filter_annotators(ratings)

    annotators = filtering.annotators.set_index("annotator")
    assert annotators["rho"].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, -1])
    assert annotators["bound"].tolist() == pytest.approx([-2 / 3] * 4)
    assert annotators["n_ratings"].tolist() == [5, 5, 5, 5]
    assert decisions(filtering)["D"] == ("left out", "below the correlation bound")
    assert explain(annotators.loc[["D"]]) == ["mean rho −1.000 is below the group's bound −0.667"]
    assert filtering.ratings["annotator"].unique().tolist() == ["A", "B", "C"]
    assert filtering.ratings.index.tolist() == list(range(15))


def test_filter_annotators_keeps_an_annotator_at_the_bound(ratings_of):
    # averages m and three equal others lie 1.5 SD apart
    ratings = ratings_of(**GOOD, D=[4, 3, 2, 1, 0])

    assert set(filter_annotators(ratings, k=1.5).annotators["decision"]) == {"kept"}


def test_filter_annotators_keeps_equals(ratings_of):
    assert set(filter_annotators(ratings_of(**GOOD), k=0).annotators["decision"]) == {"kept"}


def test_filter_annotators_applies_an_absolute_bound(ratings_of):
    ratings = ratings_of(A=[0, 1, 2], B=[2, 1, 0])

    filtering = filter_annotators(ratings, minimum_rho=0.2)

    assert decisions(filtering)["A"] == ("left out", "below the minimum rho")
    assert len(filtering.ratings) == 0
    assert set(filter_annotators(ratings, minimum_rho=-1).annotators["decision"]) == {"kept"}


def test_filter_annotators_leaves_out_constant_ratings_where_others_differ(ratings_of):
    filtering = filter_annotators(ratings_of(**GOOD, D=[3] * 5))

    assert decisions(filtering)["D"] == ("left out", "constant ratings")
    assert decisions(filtering)["A"] == ("kept", "")


def test_filter_annotators_keeps_and_names_undefined_agreement(ratings_of):
    two = filter_annotators(ratings_of(A=[0, 1, 2], B=[3, 3, 3]))
    few = filter_annotators(ratings_of(**GOOD, D=[1, 3]))
    constant_few = filter_annotators(ratings_of(**GOOD, D=[3, 3]))
    alone = filter_annotators(ratings_of(A=[0, 1, 2]))

    constant = ("kept", "agreement undefined: constant ratings")
    too_few = ("kept", "agreement undefined: too few common contexts")
    assert decisions(two) == {"A": constant, "B": constant}
    assert decisions(few)["D"] == decisions(constant_few)["D"] == decisions(alone)["A"] == too_few


def test_filter_annotators_judges_each_group_by_itself(ratings_of):
    first = ratings_of(**GOOD, D=[4, 3, 2, 1, 0])
    second = ratings_of("2", **GOOD, D=[0, 1, 2, 3, 4]).assign(context=2)
    ratings = pd.concat([first, second], ignore_index=True)

    filtering = filter_annotators(ratings)

    kept = filtering.ratings.groupby("group")["annotator"].unique().map(list).to_dict()
    assert kept == {"1": ["A", "B", "C"], "2": ["A", "B", "C", "D"]}


def test_filter_annotators_does_not_depend_on_rows_names_or_unit(ratings_of):
    columns = [[0, 1, 2, 3, 4, 6], [0, 2, 1, 3, 3, 5], [6, 1, 2, 0, 4, 3], [1, 1, 2, 2, 4, 4]]
    ratings = ratings_of(**dict(zip("ABCD", columns, strict=True)))
    renamed = ratings.assign(
        annotator=ratings["annotator"].map(dict(zip("ABCD", "ZXYW", strict=True)))
    )
    other = renamed.assign(rating=renamed["rating"] * 10 / 6 + 1).sample(frac=1, random_state=3)

    first = filter_annotators(ratings).annotators
    second = filter_annotators(other).annotators.set_index("annotator").loc[list("ZXYW")]

    assert first["decision"].tolist() == second["decision"].tolist()
    assert first["rho"].tolist() == pytest.approx(second["rho"].tolist())


def test_filter_annotators_leaves_out_the_share_with_the_largest_gain(ratings_of):
    # A B C agree fully, D is their reverse, E between: without D the mean rho rises most
    ratings = ratings_of(**GOOD, D=[4, 3, 2, 1, 0], E=[0, 1, 2, 4, 3])

    filtering = filter_annotators(ratings, k=9, gain_share=0.2)

    annotators = filtering.annotators.set_index("annotator")
    # rhos: 3 of 1, 3 of -1, 3 of 0.9, 1 of -0.9: mean 0.18; without D 3 of 1, 3 of 0.9: 0.95
    assert annotators.loc["D", "gain"] == pytest.approx(0.95 - 0.18)
    assert decisions(filtering)["D"] == ("left out", "gain in agreement")
    assert explain(annotators.loc[["D"]]) == ["without them the group's mean rho rises by 0.770"]
    assert annotators["decision"].tolist() == ["kept", "kept", "kept", "left out", "kept"]


def test_filter_annotators_leaves_out_none_for_a_share_below_one_annotator(ratings_of):
    ratings = ratings_of(**GOOD, D=[4, 3, 2, 1, 0])

    assert set(filter_annotators(ratings, k=9, gain_share=0.2).annotators["decision"]) == {"kept"}


def test_filter_annotators_leaves_out_none_without_a_gain(ratings_of):
    ratings = ratings_of(**GOOD)

    assert set(filter_annotators(ratings, gain_share=0.5).annotators["decision"]) == {"kept"}
