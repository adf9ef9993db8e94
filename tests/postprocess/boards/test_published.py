"""Published tables as boards: ranks, rows outside the ranking, and filled-in cells.

The figures are those that Armendariz et al. (2020) print for the baselines and people, and that
the teams print in the abstracts of their papers.
"""

import pytest

from postprocess.boards.entries import AVERAGE, Kind, Rules
from postprocess.boards.making import make_board
from postprocess.boards.published import find_baseline_cells, read_published
from postprocess.boards.shown import list_lines, list_outside, write_rank
from postprocess.formats.tabular import TableError
from postprocess.scoring.figures import Subtask

SIZES = {"en": 340, "hr": 112, "sl": 111, "fi": 24}
HEADER = "kind\tname\toutside\ten\thr\tsl\tfi\n"
CHANGES = HEADER + (
    "baseline\tmBERT\t\t.713\t.587\t.603\t.671\n"
    "baseline\tELMo\t\t.570\t.662\t.452\t.550\n"
    "team\tLMMS\t\t.754\t\t\t\n"
    "team\tBRUMS\t\t.754\t\t\t\n"
    "team\tUZH\tmore than 9 tries\t.7645\t\t–\t\n"
    "team\tJUSTMasters\tmore than 9 tries\t.738\t.44\t.512\t.546\n"
)
SCORES = HEADER + (
    "baseline\tmBERT\t\t.573\t.402\t.516\t.289\n"
    "baseline\tELMo\t\t.510\t.529\t.407\t.516\n"
    "human\thuman\t\t.77\t.76\t.77\t.81\n"
    "team\tJUSTMasters\tmore than 9 tries\t0.725\t\t\t0.68\n"
)


def make(text, subtask):
    entries = read_published(text.encode(), list(SIZES))
    return make_board(Rules("GWSC", "evaluation", subtask, SIZES), entries)


def test_ties_share_the_better_rank():
    board = make(CHANGES, Subtask.CHANGES)

    lines = [line for line in list_lines(board, "en") if line.place]
    assert [(line.row.name, write_rank(line.place)) for line in lines] == [
        ("BRUMS", "1="), ("LMMS", "1="),
    ]  # fmt: skip
    assert board.differences == {}


def test_rows_outside_the_ranking_keep_their_scores():
    board = make(CHANGES, Subtask.CHANGES)

    outside = list_outside(board, "en")
    assert [(row.name, row.outside) for row in outside] == [
        ("UZH", "more than 9 tries"), ("JUSTMasters", "more than 9 tries"),
    ]  # fmt: skip
    assert set(outside[0].cells) == {"en"}
    assert outside[1].cells[AVERAGE].score == pytest.approx((0.738 + 0.44 + 0.512 + 0.546) / 4)


def test_the_human_row_has_an_average_and_no_rank():
    board = make(SCORES, Subtask.SCORES)

    first = list_lines(board, "fi")[0]
    assert (first.row.kind, first.cell.score, first.place) == (Kind.HUMAN, 0.81, None)
    assert first.row.cells[AVERAGE].score == pytest.approx(0.7775)


def test_cells_that_were_filled_with_a_baseline_are_found():
    filled = CHANGES + "team\tx\t\t.700\t.5875\t.6031\t.6706\nteam\ty\tlate\t\t\t\t.671\n"
    board = make(filled, Subtask.CHANGES)

    found = find_baseline_cells(board)

    assert {(one.name, one.column, one.baseline) for one in found} == {
        ("x", "sl", "mBERT"), ("x", "fi", "mBERT"), ("y", "fi", "mBERT"),
    }  # fmt: skip
    assert find_baseline_cells(make(CHANGES, Subtask.CHANGES)) == []


def test_a_score_of_0_is_no_sign_of_a_baseline():
    text = HEADER + "baseline\tform\t\t0\t\t\t\nteam\tx\t\t0\t\t\t\n"

    assert find_baseline_cells(make(text, Subtask.SCORES)) == []


def test_all_that_is_wrong_is_found_at_once():
    text = HEADER + "robot\tx\t\t0,5\t\t\t\nteam\t\t\t7\t\t.5\t\n"

    with pytest.raises(TableError) as caught:
        read_published(text.encode(), list(SIZES))

    assert [(one.row, one.column) for one in caught.value.findings] == [
        (1, "kind"), (1, "en"), (2, "name"), (2, "en"),
    ]  # fmt: skip
    with pytest.raises(TableError, match="outside"):
        read_published(b"kind\tname\ten\nteam\tx\t.5\n", ["en"])
