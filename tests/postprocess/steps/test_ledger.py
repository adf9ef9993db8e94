import re

import pandas as pd
import pytest

from postprocess.steps.ledger import render_annotators, render_ledger, render_scores, trace_context
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe
from postprocess.table.ratings import RatingsError
from tests.factories.ratings import outcome_of, rate

HEADER = "pair\tcontext\tgroup\tannotator\trating\tcalibrated\tcalibration\tused\treason"


@pytest.fixture
def outcome():
    """Context 1: C is 3 points above A and B; context 2: D could not judge, and G has one."""
    first = {"A": [0, 1, 2], "B": [1, 1, 3], "C": [6, 4, 5]}
    second = {"E": [3, 4, 5], "F": [2, 4, 6], "G": [6, 4, 2]}
    rows = [
        (pair, context, annotator, rating, str(context), "")
        for context, people in ((1, first), (2, second))
        for annotator, ratings in people.items()
        for pair, rating in enumerate(ratings, 1)
    ]
    rows.append((1, 2, "D", None, "2", "cannot judge"))
    columns = ["pair", "context", "annotator", "rating", "group", "mark"]
    ratings = pd.DataFrame(rows, columns=columns)
    return post_process(ratings, read_recipe("cosimlex"), n_pairs=3)


def rows_of(text):
    header, *lines = text.splitlines()
    return header, [line.split("\t") for line in lines]


def test_render_ledger_describes_the_treatment_of_each_rating(outcome):
    # means 1, 5/3, 5 → 23/9: A is 1.56 below and moves up, B 0.89 below and stays, C moves down
    # C agrees least with A and B, so the bound, mean - SD of three averages, leaves C out
    # group 2: rho of E and F is 1, of either with G -1: averages 0, 0, -1; the bound is -0.911
    header, rows = rows_of(render_ledger(outcome))

    assert header == HEADER
    assert rows[:7] == [
        ["1", "1", "1", "A", "0", "1", "moved by +1", "yes", ""],
        ["1", "1", "1", "B", "1", "1", "", "yes", ""],
        ["1", "1", "1", "C", "6", "5", "moved by −1", "no", "below the correlation bound"],
        ["1", "2", "2", "D", "", "", "", "no", "cannot judge"],
        ["1", "2", "2", "E", "3", "3", "", "yes", ""],
        ["1", "2", "2", "F", "2", "2", "", "yes", ""],
        ["1", "2", "2", "G", "6", "6", "", "no", "below the correlation bound"],
    ]
    assert len(rows) == 19


def test_render_ledger_names_ratings_that_stayed_at_the_end():
    rows = [(pair, 1, a, r) for a, rs in {"A": [6, 0, 0], "B": [5, 5, 5]}.items()
            for pair, r in enumerate(rs, 1)]  # fmt: skip
    rows += [(pair, 2, "C", pair) for pair in (1, 2, 3)]
    ratings = pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating"])
    outcome = post_process(ratings, read_recipe("cosimlex", ["filtering.enabled=false"]), n_pairs=3)

    _, lines = rows_of(render_ledger(outcome))

    assert [line[4:7] for line in lines if line[3] == "A"] == [
        ["6", "6", "at the end of the scale, stayed"],
        ["0", "1", "moved by +1"],
        ["0", "1", "moved by +1"],
    ]


def test_render_annotators_gives_the_figures_behind_each_decision(outcome):
    header, rows = rows_of(render_annotators(outcome))

    by_name = {row[1]: dict(zip(header.split("\t"), row, strict=True)) for row in rows}
    assert by_name["C"]["mean"] == "5"
    assert by_name["C"]["shift"] == "-1"
    assert by_name["D"]["explanation"] == "cannot judge"
    assert by_name["G"]["rho"] == "-1"
    assert by_name["G"]["explanation"].startswith("mean rho −1.000 is below the group's bound")


def test_render_scores_has_every_figure_of_every_pair(outcome):
    header, rows = rows_of(render_scores(outcome))

    assert header.split("\t")[:3] == ["pair", "n1", "n2"]
    assert header.split("\t") == ["pair", *outcome.scores.columns]
    assert [row[0] for row in rows] == ["1", "2", "3"]


def test_trace_context_leads_from_the_ratings_to_the_figures(outcome):
    text = trace_context(outcome, 1, 2)

    assert "pair 1, context 2; recipe cosimlex" in text
    lines = text.splitlines()
    [unjudged] = [line for line in lines if "cannot judge" in line]
    assert unjudged.startswith("D ")
    [low] = [line for line in lines if "below the correlation bound" in line]
    assert low.startswith("G ")
    assert "n      2 of 4 ratings" in lines
    assert "mean   2.5 on 0–6" in lines
    assert "sim2   4.16666666667 = the mean rescaled to 0–10" in lines


def test_trace_context_has_dashes_for_undefined_figures_and_minus_signs():
    ratings = rate((1, 1, "A", 0), (1, 2, "B", 1))
    alone = trace_context(outcome_of(ratings, "raw", "rescaling.minimum=-10"), 1, 1)

    assert "stdev1 – = the sample deviation" in alone
    assert "sim1   −10 = the mean rescaled to −10 to 10" in alone
    assert "one-sided, as published; two-sided 1, q over all pairs 1" in alone
    assert not re.search(r"nan|None|-\d", alone)


def test_trace_context_refuses_an_unknown_context(outcome):
    with pytest.raises(RatingsError, match="pair 4, context 1 does not exist: pairs are 1 to 3"):
        trace_context(outcome, 4, 1)
