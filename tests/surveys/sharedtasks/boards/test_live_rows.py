"""Rows of live boards: their scores are read, and they are ranked, only as far as it is wanted."""

import json

import pytest

from postprocess.boards.board import Cell, Place
from postprocess.boards.entries import AVERAGE, Rules
from postprocess.scoring.figures import Subtask
from surveys.sharedtasks.boards.live_rows import LiveCells, LiveRanking

RULES = Rules("GWSC", "evaluation", Subtask.CHANGES, {"fi": 24, "sl": 111})
NOT_READ = "scores that cannot be read"


def write_scores(**scores):
    rest = {"low": 0.1, "high": 0.9, "n": 24, "pearson": 0.5, "spearman": 0.6, "reason": ""}
    return json.dumps({language: {"score": score, **rest} for language, score in scores.items()})


def test_cells_are_those_of_the_languages_of_the_rules():
    scores = write_scores(sl=0.4, xx=0.3)

    cells = LiveCells((0.7, 0.6, 0.8), scores, RULES, has_correlations=False)

    assert dict(cells) == {AVERAGE: Cell(0.7, 0.6, 0.8), "sl": Cell(0.4, 0.1, 0.9, 24)}
    assert len(cells) == 2
    assert "xx" not in cells


def test_a_row_without_an_average_has_the_other_cells():
    cells = LiveCells((None, None, None), write_scores(fi=0.4), RULES, has_correlations=True)

    assert dict(cells) == {"fi": Cell(0.4, 0.1, 0.9, 24, 0.5, 0.6)}


def test_averages_are_ranked_without_reading_scores():
    ranking = LiveRanking(RULES)
    places = [ranking.enter(name, score, NOT_READ) for name, score in (("a", 0.5), ("b", 0.7))]
    cells = LiveCells((0.5, 0.4, 0.6), NOT_READ, RULES, has_correlations=True)

    assert [one[AVERAGE] for one in places] == [Place(2, False), Place(1, False)]
    assert cells[AVERAGE].score == 0.5
    with pytest.raises(ValueError, match="Expecting value"):
        cells["fi"]


def test_rows_are_placed_by_scores_as_shown_where_they_have_one():
    ranking = LiveRanking(RULES)
    places = [
        ranking.enter("a", None, write_scores(sl=0.5)),
        ranking.enter("b", 0.3, write_scores(fi=0.2, sl=0.6004)),
        ranking.enter("c", 0.8, write_scores(fi=0.1, sl=0.5996)),
    ]

    assert [dict(one) for one in places] == [
        {"sl": Place(3, False)},
        {AVERAGE: Place(2, False), "fi": Place(1, False), "sl": Place(1, True)},
        {AVERAGE: Place(1, False), "fi": Place(2, False), "sl": Place(1, True)},
    ]
    assert [len(one) for one in places] == [1, 3, 3]
    assert AVERAGE not in places[0]
