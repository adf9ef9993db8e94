import math

import numpy as np
import pandas as pd
import pytest

from postprocess.auditing import AuditError
from postprocess.auditing.reconstruction.contexts import Assumptions, judge_contexts
from postprocess.formats.files import format_number, parse_number
from postprocess.formats.tabular import Severity

TEN = Assumptions(sizes=range(10, 11), is_known=True)


def figures(value):
    return parse_number(format_number(float(value)))


def varying_scores(sizes, n_pairs=60, ddof=1, seed=1):
    """Return printed figures of random ratings, a random number of them for each context."""
    rng = np.random.default_rng(seed)
    columns = {f"{name}{number}": [] for name in ("sim", "stdev") for number in (1, 2)}
    for _ in range(n_pairs):
        for number in (1, 2):
            around = rng.normal(rng.uniform(0.5, 5.5), 1.4, size=rng.choice(sizes))
            ratings = np.clip(around.round(), 0, 6) * 10 / 6
            columns[f"sim{number}"].append(figures(ratings.mean()))
            columns[f"stdev{number}"].append(figures(ratings.std(ddof=ddof)))
    return pd.DataFrame(columns, index=pd.RangeIndex(1, n_pairs + 1, name="pair"))


def scores_of(n_pairs=15, n_ratings=10, ddof=1, seed=1):
    """Return printed figures of random ratings."""
    rng = np.random.default_rng(seed)
    contexts = rng.integers(0, 7, size=(n_pairs, 2, n_ratings)) * 10 / 6
    is_defined = n_ratings > ddof
    spread = contexts.std(axis=2, ddof=ddof) if is_defined else np.full((n_pairs, 2), np.nan)
    tables = {"sim": contexts.mean(axis=2), "stdev": spread}
    columns = {
        f"{name}{number}": [figures(x) for x in values[:, number - 1]]
        for name, values in tables.items()
        for number in (1, 2)
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(1, n_pairs + 1, name="pair"))


def only(judged):
    assert len(judged.findings) == 1, judged.findings
    return judged.findings[0]


def test_contexts_of_ratings_are_possible():
    judged = judge_contexts(scores_of(), Assumptions())

    assert judged.findings == ()
    assert (judged.n_possible, judged.likely, judged.ddof) == (30, range(10, 11), 1)
    assert all(10 in solutions for solutions in judged.solutions)


def test_an_impossible_mean_is_an_error():
    scores = scores_of()
    scores.loc[4, "sim2"] += 0.02

    finding = only(judge_contexts(scores, TEN))

    assert (finding.severity, finding.row, finding.column) == (Severity.ERROR, 4, "sim2")
    assert "is impossible for 10 ratings on 0–6" in finding.reason


def test_an_impossible_deviation_is_an_error():
    scores = scores_of()
    scores.loc[7, "stdev1"] = 6.5

    finding = only(judge_contexts(scores, Assumptions()))

    assert (finding.severity, finding.row, finding.column) == (Severity.ERROR, 7, "stdev1")
    assert "the deviation 6.5 is impossible for up to 40 ratings on 0–6" in finding.reason


def test_a_context_with_another_number_of_ratings_is_a_warning():
    scores = scores_of()
    scores.loc[2, ["sim1", "stdev1"]] = 4.76, 1.69

    finding = only(judge_contexts(scores, Assumptions()))

    assert (finding.severity, finding.row, finding.column) == (Severity.WARNING, 2, "sim1")
    assert "but 10 explain the other contexts" in finding.reason


def test_population_deviations_are_one_error_of_the_file():
    judged = judge_contexts(scores_of(ddof=0), Assumptions())

    finding = only(judged)
    assert judged.ddof == 0
    assert (finding.row, finding.column) == (None, "stdev1, stdev2")
    assert "30 of 30 contexts are population deviations" in finding.reason


@pytest.mark.parametrize("sizes", [range(9, 12), range(7, 16), range(5, 21), range(3, 31)])
def test_population_deviations_are_one_error_if_numbers_of_ratings_vary(sizes):
    judged = judge_contexts(varying_scores(sizes, ddof=0), Assumptions())

    finding = next(one for one in judged.findings if one.row is None)
    assert (judged.ddof, finding.column) == (0, "stdev1, stdev2")
    assert [one for one in judged.findings if one.severity is Severity.ERROR] == [finding]
    assert len(judged.findings) <= 3


@pytest.mark.parametrize("sizes", [range(9, 12), range(7, 16), range(5, 21), range(3, 31)])
def test_sample_deviations_are_recognised_if_numbers_of_ratings_vary(sizes):
    judged = judge_contexts(varying_scores(sizes), Assumptions())

    assert judged.ddof == 1
    assert [one for one in judged.findings if one.severity is Severity.ERROR] == []
    assert len(judged.findings) <= 3


def test_wrong_rows_among_population_deviations_are_reported():
    scores = varying_scores(range(7, 16), ddof=0)
    scores.loc[8, "stdev1"] = 6.5

    judged = judge_contexts(scores, Assumptions())

    errors = [one for one in judged.findings if one.severity is Severity.ERROR]
    assert [(one.row, one.column) for one in errors] == [(None, "stdev1, stdev2"), (8, "stdev1")]


@pytest.mark.parametrize("n_wrong", [1, 5, 12])
def test_a_few_population_deviations_are_errors_of_their_rows(n_wrong):
    sizes = range(7, 16)
    scores, others = varying_scores(sizes), varying_scores(sizes, ddof=0)
    wrong = scores.index[:n_wrong]
    scores.loc[wrong, ["stdev1", "stdev2"]] = others.loc[wrong, ["stdev1", "stdev2"]]

    judged = judge_contexts(scores, Assumptions())

    assert judged.ddof == 1
    assert {one.row for one in judged.findings} <= set(wrong)
    assert len({one.row for one in judged.findings}) > n_wrong / 2


def test_a_single_population_deviation_is_recognised():
    scores, others = scores_of(), scores_of(ddof=0)
    scores.loc[3, "stdev1"] = others.loc[3, "stdev1"]

    finding = only(judge_contexts(scores, TEN))

    assert (finding.severity, finding.row, finding.column) == (Severity.ERROR, 3, "stdev1")
    assert "it is possible as a population deviation" in finding.reason


@pytest.mark.parametrize("column", ["sim1", "stdev2"])
def test_a_missing_figure_is_an_error(column):
    scores = scores_of()
    scores.loc[5, column] = math.nan

    finding = only(judge_contexts(scores, TEN))

    assert (finding.severity, finding.row, finding.column) == (Severity.ERROR, 5, column)
    assert "the number is missing" in finding.reason


def test_a_single_rating_has_no_deviation():
    scores = scores_of(n_pairs=1, n_ratings=1)
    assert scores[["stdev1", "stdev2"]].isna().all(axis=None)

    assert judge_contexts(scores, Assumptions()).findings == ()


def test_assumptions_refuse_zero_ratings():
    with pytest.raises(AuditError, match="at least one rating"):
        Assumptions(sizes=range(5))
    with pytest.raises(AuditError, match="at least one rating"):
        Assumptions(sizes=range(5, 5))
