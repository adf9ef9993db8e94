import dataclasses
import math

import pandas as pd
import pytest

from postprocess.auditing.reconstruction import changes
from postprocess.auditing.reconstruction.changes import judge_changes
from postprocess.auditing.reconstruction.contexts import Assumptions, judge_contexts
from postprocess.formats.files import SCORE_COLUMNS, format_number
from postprocess.formats.tabular import Severity
from postprocess.steps.single_steps import aggregate_ratings, rescale_ratings
from postprocess.table.ratings import Scale
from tests.postprocess.published_format import random_pairs, ratings_of

TEN = Assumptions(sizes=range(10, 11), is_known=True)


@pytest.fixture
def unrounded():
    """Return figures of ratings before rounding."""
    ratings = ratings_of(*random_pairs(seed=3))
    published = rescale_ratings(ratings, Scale(0, 6), Scale(0, 10, 10))
    return aggregate_ratings(published, 12)[list(SCORE_COLUMNS)]


@pytest.fixture
def scores(unrounded):
    return unrounded.map(lambda x: float(format_number(x)))


@pytest.fixture
def doubled(unrounded):
    """Return the two-sided p-values."""
    return unrounded["pvalue"].map(lambda p: float(format_number(2 * p)))


def judge(scores, assumptions=None):
    assumptions = assumptions or Assumptions()
    return judge_changes(scores, judge_contexts(scores, assumptions), assumptions)


def only(judged):
    assert len(judged.findings) == 1, judged.findings
    return judged.findings[0]


def test_pvalues_of_ratings_are_possible(scores):
    judged = judge(scores)

    assert judged.findings == ()
    assert (judged.sides, judged.n_tested, judged.n_possible, judged.n_undecided) == (1, 12, 12, 0)


def test_an_impossible_pvalue_is_an_error(scores):
    scores.loc[5, "pvalue"] = 0.999

    judged = judge(scores)

    finding = only(judged)
    assert (finding.severity, finding.row, finding.column) == (Severity.ERROR, 5, "pvalue")
    assert "one-sided p-value 0.999 is impossible for up to 40 ratings on 0–6" in finding.reason
    assert judged.n_possible == 11


def test_a_single_two_sided_pvalue_is_recognised(scores, doubled):
    row = 8
    scores.loc[row, "pvalue"] = doubled[row]

    finding = only(judge(scores, TEN))

    assert (finding.severity, finding.row) == (Severity.ERROR, row)
    assert "it is possible as a two-sided p-value" in finding.reason


def test_a_file_of_two_sided_pvalues_is_one_error(scores, doubled):
    judged = judge(scores.assign(pvalue=doubled), TEN)

    finding = only(judged)
    assert (judged.sides, judged.n_possible) == (2, 12)
    assert (finding.row, finding.column) == (None, "pvalue")
    assert "divide them by two" in finding.reason


def test_a_pvalue_that_needs_other_numbers_of_ratings_is_a_warning(scores):
    contexts = judge_contexts(scores, Assumptions())
    twenty = dataclasses.replace(contexts, likely=range(20, 21))

    judged = judge_changes(scores, twenty, Assumptions())

    assert judged.n_possible == judged.n_tested == 12
    assert {finding.severity for finding in judged.findings} <= {Severity.WARNING}


def test_a_missing_pvalue_is_an_error(scores):
    scores.loc[2, "pvalue"] = math.nan

    finding = only(judge(scores))

    assert (finding.severity, finding.row, finding.column) == (Severity.ERROR, 2, "pvalue")


def test_a_pair_with_an_impossible_context_is_not_tested(scores):
    scores.loc[3, "stdev1"] = 7.5

    judged = judge(scores)

    assert (judged.n_tested, judged.findings) == (11, ())


def test_an_incomplete_search_is_not_an_error(scores, monkeypatch):
    monkeypatch.setattr(changes, "MAX_TRIED_PER_PAIR", 1)
    scores["pvalue"] = 1e-9

    judged = judge(scores)

    assert (judged.n_undecided, judged.n_possible) == (12, 0)
    assert {finding.severity for finding in judged.findings} <= {Severity.WARNING}


def test_pvalues_are_possible_without_estimated_numbers(scores):
    few = pd.DataFrame(scores.iloc[:3])

    assert judge(few).findings == ()
