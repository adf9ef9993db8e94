import io

import pandas as pd
import pytest

from postprocess.steps import stored_runs
from postprocess.steps.ledger import render_scores
from postprocess.steps.stored_runs import read_pair, read_scores, write_ledger
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


def test_read_scores_returns_what_was_written():
    outcome = outcome_of(simulate_study(5, 3))

    read = read_scores(render_scores(outcome).encode())

    pd.testing.assert_frame_equal(read, outcome.scores, check_dtype=False, rtol=1e-11)
