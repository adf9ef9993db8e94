import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.statistics import resampling
from postprocess.statistics.agreement import intraclass, resampled, weighted
from postprocess.statistics.agreement.by_group import FIGURES, RANGES, agreement_table
from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.agreement.reliability import split_half_reliability
from postprocess.statistics.intervals import basic_interval
from postprocess.statistics.resampling import (
    draw_items,
)
from postprocess.table.ratings import RatingsError
from tests.machine import ROOT
from tests.postprocess.statistics.agreement.tables import (
    alpha_of,
    drop_lowest,
    icc_of,
    items_table,
    leave_one_out_of,
    pairwise_of,
)

NAN = float("nan")
COLUMNS = st.lists(st.lists(st.integers(0, 6), min_size=5, max_size=5), min_size=2, max_size=4)
WITHOUT_CHANCE = [figure for figure in FIGURES if figure != "split_half"]


def of_one_group(table):
    """Return the figures of one group, computed from its table alone."""
    left_out, icc = leave_one_out_of(table), icc_of(table)
    upper = np.triu_indices(table.shape[1], k=1)
    pairs = {
        method: np.nanmean(pairwise_of(table, method=method).to_numpy()[upper])
        for method in ("spearman", "pearson")
    }
    return {
        "human": left_out.mean(),
        "pairwise_spearman": pairs["spearman"],
        "pairwise_pearson": pairs["pearson"],
        "alpha_ordinal": alpha_of(table, level="ordinal"),
        "alpha_interval": alpha_of(table),
        "icc_single": icc[0],
        "icc_average": icc[1],
    }


def test_agreement_table_has_a_row_for_each_slice(simulated):
    found = agreement_table(simulated(), by=["block", "pos"], n_resamples=0, n_splits=5)

    counts = ["by", "name", "n_groups", "n_items", "n_annotators"]
    assert found[counts].to_numpy().tolist() == [
        ["block", 1, 2, 40, 11],
        ["block", 2, 2, 40, 11],
        ["pos", "N", 4, 40, 22],
        ["pos", "V", 4, 40, 22],
        ["overall", "", 4, 80, 22],
    ]
    more = ["n_annotators", "n_ratings"]
    figures = [f"{figure}{end}" for figure in FIGURES for end in ("", "_low", "_high")]
    assert found.columns.tolist() == [*counts[:4], *more, *figures]


def test_agreement_table_counts_items_annotators_and_ratings(simulated):
    ratings = simulated()
    found = agreement_table(ratings, figures=[], n_resamples=0).set_index("name")

    for group, rows in ratings.groupby("group"):
        table = items_table(rows)
        counts = found.loc[group, ["n_items", "n_annotators", "n_ratings"]].tolist()
        assert counts == [*table.shape, len(rows)]


def test_agreement_table_of_groups_equals_the_functions_for_one(simulated):
    ratings = simulated()
    found = agreement_table(ratings, n_resamples=0, n_splits=1).set_index("name")

    for group, rows in ratings.groupby("group"):
        expected = of_one_group(items_table(rows))
        assert found.loc[group, list(expected)].to_dict() == pytest.approx(expected, abs=1e-12)


def test_agreement_table_of_a_slice_compares_only_annotators_of_one_group(simulated):
    ratings = simulated()
    row = agreement_table(ratings, by=[], n_resamples=0, n_splits=1).iloc[0]

    tables = [items_table(rows) for _, rows in ratings.groupby("group")]
    upper = [pairwise_of(t).to_numpy()[np.triu_indices(t.shape[1], k=1)] for t in tables]
    assert row["human"] == pytest.approx(np.mean(np.concatenate(
        [leave_one_out_of(table) for table in tables]
    )))  # fmt: skip
    assert row["pairwise_spearman"] == pytest.approx(np.mean(np.concatenate(upper)))
    everyone = ratings.pivot(
        index=["pair", "context"], columns=["group", "annotator"], values="rating"
    )
    assert row["alpha_interval"] == pytest.approx(alpha_of(everyone))


def test_agreement_table_split_half_is_that_of_the_rows_of_the_slice(simulated):
    ratings = simulated()
    found = agreement_table(ratings, by=["block"], figures=["split_half"], n_resamples=0)

    for number, block in enumerate((1, 2)):
        rows = ratings[ratings["block"] == block]
        rng = np.random.default_rng([0, 0])
        expected = split_half_reliability(rows, rng=rng, n_splits=100, n_resamples=0)
        assert found["split_half"][number] == expected.loc["pearson", "reliability"]


def test_agreement_table_intervals_are_those_of_resampled_items(simulated):
    ratings = simulated()
    rows = ratings[ratings["group"] == "2B"]
    (drawn,) = draw_items(stack_groups(rows), 40, np.random.default_rng([0, 1]))
    table = items_table(rows)
    replicates = pd.DataFrame([of_one_group(table.iloc[places[0]]) for places in drawn])
    figures, doubled = of_one_group(table), of_one_group(pd.concat([table, table]))

    found = agreement_table(ratings, figures=WITHOUT_CHANCE, n_resamples=40).set_index("name")

    for figure in replicates:
        ends = found.loc["2B", [f"{figure}_low", f"{figure}_high"]].tolist()
        expected = basic_interval(
            figures[figure],
            replicates[figure].to_numpy(),
            limit=2 * doubled[figure] - figures[figure],
            within=RANGES.get(figure, "correlation"),
        )
        assert ends == pytest.approx(expected, abs=1e-9)


def test_agreement_table_intervals_surround_the_figures(simulated):
    found = agreement_table(simulated(), n_resamples=300)

    for figure in FIGURES:
        low, high = found[f"{figure}_low"], found[f"{figure}_high"]
        assert ((low < found[figure]) & (found[figure] < high)).all(), figure
        assert (high - low).iloc[-1] < (high - low).iloc[:-1].min(), figure


def test_agreement_table_of_a_slice_does_not_depend_on_other_slices(simulated):
    ratings = simulated()
    whole = agreement_table(ratings, by=["group", "pos"], n_resamples=20)

    part = agreement_table(ratings, by=["pos"], figures=["icc_average", "human"], n_resamples=20)

    expected = whole[whole["by"] != "group"][part.columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, expected, check_exact=True, check_dtype=False)


def test_agreement_table_does_not_depend_on_the_order_of_rows_or_kind_of_columns(simulated):
    ratings = simulated()
    shuffled = ratings.sample(frac=1, random_state=2)
    for column in ("annotator", "group", "pos"):
        shuffled[column] = pd.Categorical(shuffled[column], ratings[column].unique()[::-1])

    first, second = (
        agreement_table(table, by=["group", "pos"], n_resamples=20) for table in (ratings, shuffled)
    )

    pd.testing.assert_frame_equal(first, second, check_exact=True)


def test_agreement_table_in_parts_is_the_same(simulated, monkeypatch):
    ratings = simulated()
    whole = agreement_table(ratings, by=["group"], n_resamples=20)
    monkeypatch.setattr(resampling, "RATINGS_AT_ONCE", 500)
    monkeypatch.setattr(weighted, "AT_ONCE", 50)
    monkeypatch.setattr(resampled, "COMPARED_AT_ONCE", 60)
    monkeypatch.setattr(intraclass, "MOST_NUMBERS", 100)

    parts = agreement_table(ratings, by=["group"], n_resamples=20)

    assert parts.iloc[:-1, 2:].to_numpy() == pytest.approx(
        whole.iloc[:-1, 2:].to_numpy(), abs=1e-12
    )


@settings(deadline=None)
@given(COLUMNS, st.integers(-3, 3), st.sampled_from([0.25, 10 / 6]))
def test_agreement_table_does_not_depend_on_names_constant_or_unit(columns, constant, unit):
    rows = [
        (pair, 1, f"A{a}", rating, "1")
        for a, column in enumerate(columns)
        for pair, rating in enumerate(column, 1)
    ]
    names = ["pair", "context", "annotator", "rating", "group"]
    ratings = pd.DataFrame(rows, columns=names)
    other = ratings.assign(
        rating=(ratings["rating"] + constant) * unit,
        annotator=ratings["annotator"].map(lambda name: f"Z{9 - int(name[1:])}"),
        group="another",
    )

    first, second = (
        agreement_table(t, by=[], figures=WITHOUT_CHANCE, n_resamples=0)[WITHOUT_CHANCE]
        for t in (ratings, other)
    )

    assert second.to_numpy().ravel() == pytest.approx(
        first.to_numpy().ravel(), nan_ok=True, abs=1e-9, rel=1e-9
    )


def test_agreement_table_of_the_same_group_twice_is_that_of_the_one(simulated):
    rows = simulated().query("group == '1B'")
    again = rows.assign(group="again", annotator="Z" + rows["annotator"])
    figures = [f for f in WITHOUT_CHANCE if not f.startswith("alpha")]  # which corrects for n

    one, two = (
        agreement_table(t, by=[], figures=figures, n_resamples=0).loc[0, figures].tolist()
        for t in (rows, pd.concat([rows, again]))
    )

    assert two == pytest.approx(one, abs=1e-12)


def test_agreement_table_of_copies_of_one_annotator_is_one(ratings_of):
    found = agreement_table(ratings_of(A=[0, 3, 6, 5], B=[0, 3, 6, 5], C=[0, 3, 6, 5]), by=[])

    assert found.loc[0, list(FIGURES)].tolist() == pytest.approx([1] * 8)


@pytest.mark.parametrize(
    "columns",
    [{"A": [1, 2, 3]}, {"A": [4, 4, 4], "B": [4, 4, 4]}, {"A": [1, None], "B": [None, 2]}, {}],
)
def test_agreement_table_is_undefined_without_difference_or_common_items(ratings_of, columns):
    found = agreement_table(ratings_of(**columns), n_resamples=10)

    assert found["by"].tolist() == [*["group"] * (columns != {}), "overall"]
    assert found.iloc[:, 7:].isna().all(axis=None)


def test_agreement_table_gives_no_interval_where_resamples_are_often_undefined(ratings_of):
    found = agreement_table(ratings_of(A=[0, 3, 6], B=[1, 3, 5]), by=[])

    assert found.loc[0, ["human", "pairwise_pearson"]].tolist() == [1, pytest.approx(1)]
    assert found.loc[0, ["human_low", "human_high"]].isna().all()


def test_agreement_table_gives_no_interval_for_groups_of_single_items(simulated):
    ratings = simulated().assign(group=lambda t: t["pair"].astype(str) + t["group"])

    found = agreement_table(ratings, by=[], figures=["alpha_interval", "split_half"])

    assert found.loc[0, ["alpha_interval", "split_half"]].notna().all()
    assert found.filter(regex="_(low|high)$").isna().all(axis=None)


def test_agreement_table_leaves_rows_without_a_value_out_of_the_slices(simulated):
    ratings = simulated()
    ratings["pos"] = ratings["pos"].where(ratings["pos"] == "N")

    found = agreement_table(ratings, by=["pos"], figures=[])

    assert found[["by", "name", "n_items"]].to_numpy().tolist() == [
        ["pos", "N", 40],
        ["overall", "", 80],
    ]


def test_agreement_table_keeps_groups_of_two_languages_apart(simulated):
    first, second = simulated(seed=0), simulated(seed=1)
    both = pd.concat([first.assign(language="en"), second.assign(language="sl")])

    found = agreement_table(both, by=["language"], n_resamples=10)

    for row, ratings in enumerate((first, second)):
        alone = agreement_table(ratings, by=[], n_resamples=10)
        assert found.loc[row, "n_groups"] == 4
        assert found.iloc[row, 2:].tolist() == pytest.approx(alone.iloc[0, 2:].tolist(), abs=1e-12)
    assert found.loc[2, "n_groups"] == 8


def test_agreement_table_finds_groups_that_are_not_given(ratings_of):
    ratings = ratings_of(A=[0, 1, 2], B=[0, 2, 1]).drop(columns="group")

    found = agreement_table(ratings, figures=["human"], n_resamples=0)

    assert found[["by", "name", "human"]].to_numpy().tolist() == [
        ["group", "1", 0.5],
        ["overall", "", 0.5],
    ]


def test_agreement_table_refuses_unknown_columns_and_figures(simulated):
    with pytest.raises(RatingsError, match="no column language"):
        agreement_table(simulated(), by=["language"])
    with pytest.raises(RatingsError, match="unknown figures: kappa; known are human"):
        agreement_table(simulated(), figures=["kappa"])
    with pytest.raises(RatingsError, match='"annotators" cannot be resampled; name one of items,'):
        agreement_table(simulated(), resample="annotators")


def agreement_of_many():
    rng = np.random.default_rng(0)
    n, k = 400, 12
    ratings = pd.DataFrame(
        {
            "pair": np.repeat(np.arange(1, n + 1), k),
            "context": 1,
            "annotator": np.tile(np.arange(k), n),
            "rating": rng.normal(size=n * k),
            "group": "1",
        }
    )
    found = agreement_table(ratings, by=[], n_resamples=5, n_splits=5)
    return found.to_json(double_precision=15)


def test_agreement_table_does_not_depend_on_the_number_of_threads():
    here = os.environ.get("OPENBLAS_NUM_THREADS") or os.cpu_count() or 1  # or of the processors
    other = "1" if int(here) > 1 else "2"
    done = subprocess.run(
        [sys.executable, "-c", f"import {__name__} as here; print(here.agreement_of_many())"],
        cwd=ROOT,
        env=os.environ | {f"{name}_NUM_THREADS": other for name in ("OMP", "OPENBLAS", "MKL")},
        check=True,
        capture_output=True,
        text=True,
    )

    assert done.stdout == f"{agreement_of_many()}\n"


def test_agreement_table_of_processed_ratings_has_their_figures(simulated):
    ratings = simulated()
    wanted = {"by": ["block", "pos"], "n_resamples": 20, "n_splits": 5}

    found = agreement_table(ratings, process=drop_lowest, **wanted)

    pd.testing.assert_frame_equal(found, agreement_table(drop_lowest(ratings), **wanted))


def test_agreement_table_repeats_steps_that_do_nothing_to_no_effect(simulated):
    ratings = simulated()
    wanted = {
        "by": [], "figures": WITHOUT_CHANCE, "n_resamples": 40, "resample": "items and annotators"
    }  # fmt: skip

    found = agreement_table(ratings, process=lambda given: given, **wanted)

    pd.testing.assert_frame_equal(found, agreement_table(ratings, **wanted))


def test_agreement_table_repeats_steps_without_each_part_of_the_annotators(simulated):
    ratings = simulated()
    wanted = {"by": ["block"], "n_resamples": 40, "resample": "items and annotators"}

    repeated = agreement_table(ratings, process=drop_lowest, **wanted).iloc[-1]
    kept = agreement_table(drop_lowest(ratings), **wanted).iloc[-1]

    for figure in FIGURES:
        assert repeated[figure] == kept[figure]
        assert repeated[f"{figure}_low"] != kept[f"{figure}_low"], figure  # others are the lowest
