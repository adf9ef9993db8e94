import io

import pandas as pd
import pytest

from postprocess.steps import stored_runs
from postprocess.steps.ledger import render_scores
from postprocess.steps.stored_runs import (
    read_ledger,
    read_pair,
    read_scores,
    search_ledger,
    write_ledger,
)
from tests.factories.ratings import outcome_of, simulate_study


@pytest.mark.parametrize("rows_a_group", [1, 7, 1000])
def test_read_pair_returns_the_rows_of_the_ledger(rows_a_group, monkeypatch):
    monkeypatch.setattr(stored_runs, "ROWS_A_GROUP", rows_a_group)
    outcome = outcome_of(simulate_study(5, 3))
    stored = write_ledger(outcome)

    for pair in range(1, 6):
        found = read_pair(io.BytesIO(stored), pair)
        expected = outcome.ledger[outcome.ledger["pair"] == pair].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            found.astype({"annotator": str, "group": str, "reason": str}),
            expected.astype({"annotator": str, "group": str, "reason": str}),
            check_dtype=False,
        )
    assert read_pair(io.BytesIO(stored), 6).empty


@pytest.mark.parametrize("rows_a_group", [1, 7, 1000])
@pytest.mark.parametrize(
    "filters", [{}, {"pair": 3}, {"reason": "*"}, {"context": 1, "reason": ""}, {"annotator": "-"}]
)
def test_search_ledger_returns_a_page_of_the_matching_rows(rows_a_group, filters, monkeypatch):
    monkeypatch.setattr(stored_runs, "ROWS_A_GROUP", rows_a_group)
    data = write_ledger(outcome_of(simulate_study(5, 3)))
    expected = read_ledger(data)
    for name, value in filters.items():
        same = expected[name].astype(str) == str(value)
        expected = expected[expected[name] != "" if value == "*" else same]

    found, n_found = search_ledger(data, filters, start=2, n_rows=9)

    assert n_found == len(expected)
    assert found.astype(str).to_dict("records") == expected[2:11].astype(str).to_dict("records")


def test_read_scores_returns_what_was_written():
    outcome = outcome_of(simulate_study(5, 3))

    read = read_scores(render_scores(outcome).encode())

    pd.testing.assert_frame_equal(read, outcome.scores, check_dtype=False, rtol=1e-11)
