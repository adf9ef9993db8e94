import pandas as pd
import pytest

from postprocess.auditing.rows import (
    check_gold_changes,
    compare_counts,
    compare_gold,
    compare_stimuli,
    empty_scores,
)
from postprocess.formats.tabular import Severity
from tests.postprocess.published_format import stimuli_row

ROWS = {number: stimuli_row(number) for number in (1, 2, 3)}
SCORES = pd.DataFrame({"sim1": [3.33, 5.33], "sim2": [5.56, 4.0]}, index=[1, 2])


def gold_of(*rows):
    columns = ["sim_context1", "sim_context2", "change"]
    return pd.DataFrame(rows, columns=columns, index=pd.RangeIndex(1, len(rows) + 1), dtype=float)


def found(findings):
    return [(finding.row, finding.column, finding.severity) for finding in findings]


def test_equal_stimuli_have_no_findings():
    assert list(compare_stimuli(ROWS, ROWS, "cosimlex_xx.csv")) == []


def test_stimuli_with_other_words_are_found():
    row = ("other", *ROWS[2][1:])

    (finding,) = compare_stimuli(ROWS, {**ROWS, 2: row}, "cosimlex_xx.csv")

    assert (finding.row, finding.column) == (2, "word1")
    assert "row 2 of cosimlex_xx.csv" in finding.reason


def test_swapped_contexts_are_recognised():
    swapped = tuple(ROWS[3][i] for i in (0, 1, 3, 2, 6, 7, 4, 5))

    (finding,) = compare_stimuli(ROWS, {**ROWS, 3: swapped}, "cosimlex_xx.csv")

    assert (finding.row, finding.column) == (3, "context1, context2")
    assert "the two contexts are exchanged" in finding.reason


def test_rows_in_another_order_are_recognised():
    first, second = compare_stimuli(ROWS, {**ROWS, 1: ROWS[2], 2: ROWS[1]}, "x.csv")

    assert "this is row 2 of x.csv" in first.reason
    assert "this is row 1 of x.csv" in second.reason


def test_missing_rows_are_found():
    (finding,) = compare_stimuli(ROWS, {1: ROWS[1]}, "x.csv")

    assert (finding.row, "1 rows, but x.csv has 3" in finding.reason) == (None, True)


def test_gold_agrees_with_more_digits():
    assert list(compare_gold(SCORES, gold_of((3.33, 5.56, 2.23), (5.33, 4, -1.33)), "x")) == []
    assert list(compare_gold(SCORES, gold_of((3.3333, 5.5556, 2.22), (5.33, 4, 0)), "x")) == []


@pytest.mark.parametrize("wrong", [3.34, 3.32, 3.0])
def test_gold_with_another_score_is_found(wrong):
    findings = compare_gold(SCORES, gold_of((wrong, 5.56, 2.23), (5.33, 4, -1.33)), "x")

    assert found(findings) == [(1, "sim_context1", Severity.ERROR)]


def test_gold_with_swapped_scores_is_recognised():
    (finding,) = compare_gold(SCORES, gold_of((3.33, 5.56, 2.23), (4, 5.33, 1.33)), "x")

    assert (finding.row, finding.column) == (2, "sim_context1, sim_context2")


def test_gold_of_another_length_is_found():
    (finding,) = compare_gold(SCORES, gold_of((3.33, 5.56, 2.23)), "x.csv")

    assert "1 rows, but x.csv has 2" in finding.reason


def test_changes_of_printed_scores_are_accepted():
    assert list(check_gold_changes(gold_of((5.33, 5.37, 0.04), (1.5, 0.303, -1.2)))) == []


def test_a_wrong_change_is_an_error_and_one_of_unrounded_scores_a_warning():
    gold = gold_of((1, 2, 1), (3, 5, 2), (1, 4, 3), (5.33, 5.37, 0.05), (2, 4, 2.5))

    assert found(check_gold_changes(gold)) == [
        (4, "change", Severity.WARNING),
        (5, "change", Severity.ERROR),
    ]


def test_changes_of_unrounded_scores_are_accepted_if_most_are():
    assert list(check_gold_changes(gold_of((5.33, 5.37, 0.0417), (3.33, 5.56, 2.22)))) == []


def test_empty_gold_fields_are_found():
    gold = gold_of((1, None, 1), (2, 3, 1))

    assert found(empty_scores(gold)) == [(1, "sim_context2", Severity.ERROR)]
    assert list(check_gold_changes(gold)) == []


def test_too_few_ratings_are_found():
    ratings = pd.DataFrame(
        {"pair": ["1"] * 5, "context": ["1"] * 3 + ["2"] * 2, "mark": ["", "rejected", "", "", ""]}
    )
    contexts = pd.DataFrame({"row": [1, 1], "context": [1, 2], "fitting": [(3, 9), (2, 4)]})

    (finding,) = compare_counts(ratings, contexts)

    assert (finding.row, finding.column) == (1, "sim1, stdev1")
    assert "need 3, 9 ratings, but there are 2" in finding.reason
