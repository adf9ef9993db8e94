"""Rows of live boards: their scores are read, and they are ranked, only as far as it is wanted."""

import json

import pytest

from postprocess.boards.advice.planning import expect_interval
from postprocess.boards.board import Cell, Place
from postprocess.boards.entries import AVERAGE, Rules
from postprocess.scoring.metrics import CHANGES, Metric
from surveys.sharedtasks.boards.live_rows import LiveCells, LiveRanking, make_cells

RULES = Rules("GWSC", "evaluation", CHANGES, {"fi": 24, "sl": 111})
NOT_READ = "scores that cannot be read"


def write_scores(**scores):
    rest = {"low": 0.1, "high": 0.9, "n": 24, "pearson": 0.5, "spearman": 0.6, "reason": ""}
    return json.dumps({language: {"score": score, **rest} for language, score in scores.items()})


def test_cells_are_those_of_the_languages_of_the_rules():
    scores = write_scores(sl=0.4, xx=0.3)

    cells = LiveCells((0.7, 0.6, 0.8), scores, RULES, is_gold_public=False)

    expected = Cell(0.4, *expect_interval(0.4, 24), 24)
    assert dict(cells) == {AVERAGE: Cell(0.7), "sl": expected}
    assert len(cells) == 2
    assert "xx" not in cells


def test_a_row_without_an_average_has_the_other_cells():
    cells = LiveCells((None, None, None), write_scores(fi=0.4), RULES, is_gold_public=True)

    assert dict(cells) == {"fi": Cell(0.4, 0.1, 0.9, 24, 0.5, 0.6)}


@pytest.mark.parametrize(
    ("subtask", "shown"),
    [
        ({"score": 0.65049}, expect_interval(0.65, 24)),
        ({"score": -0.2}, expect_interval(-0.2, 24)),
        ({"score": 0.9996}, (None, None)),
        ({"score": 0.0, "reason": "constant"}, (None, None)),
        ({"score": 0.65, "n": 9}, (None, None)),
    ],
)
def test_expected_intervals_depend_on_shown_score_and_pairs_alone(subtask, shown):
    figures = {"low": 0.1, "high": 0.9, "n": 24, "pearson": 0.5, "spearman": 0.6, "reason": ""}

    cells = make_cells({"fi": figures | subtask}, metric=Metric.CHANGE, is_gold_public=False)

    assert (cells["fi"].low, cells["fi"].high) == shown


def test_expected_intervals_of_harmonic_means_begin_at_0():
    figures = {"score": 0.2, "low": 0.1, "high": 0.9, "n": 24, "pearson": 0.5, "spearman": 0.6,
               "reason": ""}  # fmt: skip

    cells = make_cells({"fi": figures}, metric=Metric.HARMONIC, is_gold_public=False)

    assert cells["fi"][:3] == (0.2, 0.0, expect_interval(0.2, 24).high)


def test_averages_are_ranked_without_reading_scores():
    ranking = LiveRanking(RULES)
    places = [ranking.enter(name, score, NOT_READ) for name, score in (("a", 0.5), ("b", 0.7))]
    cells = LiveCells((0.5, 0.4, 0.6), NOT_READ, RULES, is_gold_public=True)

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
