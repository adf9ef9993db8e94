"""The registry of metrics: definitions, what is undefined, intervals, and files by id."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from postprocess.__main__ import main
from postprocess.boards.board import Cell
from postprocess.boards.entries import Entry, Rules, only_score
from postprocess.boards.exports.freezing import read_board, render_board
from postprocess.boards.exports.latex import render_latex
from postprocess.boards.exports.page import render_page
from postprocess.boards.exports.rounding import round_cell
from postprocess.boards.making import make_board
from postprocess.boards.shown import explain_few_pairs, list_notes, write_ends
from postprocess.scoring.bootstrap import Bootstrap, bootstrap_interval
from postprocess.scoring.figures import Reason, score_once, score_predictions
from postprocess.scoring.gold import GoldError, check_gold, make_part
from postprocess.scoring.inference import average_scores, compare_scores, score_interval
from postprocess.scoring.metrics import METRICS, Metric, Track
from postprocess.scoring.predictions import read_predictions
from postprocess.scoring.ranking import Places
from postprocess.scoring.submitted import sort_files
from postprocess.statistics.agreement.alpha import krippendorff_alpha
from postprocess.statistics.agreement.group_arrays import stack_groups

SPEARMAN = Track(1, "similarity", Metric.SPEARMAN, ("score",))
TAGS = Track(1, "same meaning", Metric.ACCURACY, ("tag",), is_percent=True)
MEDIANS = Track(2, "median", Metric.ORDINAL_ALPHA, ("median",))
IDS = ("a", "b", "c")
DRAWN = np.random.default_rng(8).integers(1, 5, (2, 40)).astype(float)


def alpha_of(first, second):
    rows = {"pair": [*range(len(first))] * 2, "context": 1, "rating": [*first, *second]}
    table = pd.DataFrame({**rows, "annotator": ["A"] * len(first) + ["B"] * len(first)})
    return krippendorff_alpha(stack_groups(table.assign(group="1")), 1, level="ordinal")[0]


ORACLES = {
    Metric.SPEARMAN: lambda x, y: spearmanr(x, y).statistic,
    Metric.ACCURACY: lambda x, y: np.mean(x == y),
    Metric.ORDINAL_ALPHA: alpha_of,
}


@pytest.mark.parametrize("metric", ORACLES)
def test_a_score_and_those_without_each_row_are_as_defined(metric):
    x, y = DRAWN

    found = score_predictions(metric, x, y)

    assert found.score == pytest.approx(ORACLES[metric](x, y), abs=1e-12)
    expected = [ORACLES[metric](np.delete(x, i), np.delete(y, i)) for i in range(len(x))]
    assert found.left_out == pytest.approx(expected, abs=1e-12)
    ends = bootstrap_interval(metric, x, y, Bootstrap(200, 0))
    assert ends.low < found.score < ends.high
    assert score_interval(found, metric).low >= METRICS[metric].lowest


def test_alpha_is_of_the_rows_whose_median_is_whole():
    x, y = DRAWN
    halves = np.append(y, [1.5, 2.5])

    found = score_predictions(Metric.ORDINAL_ALPHA, np.append(x, [4, 1]), halves)

    whole = score_predictions(Metric.ORDINAL_ALPHA, x, y)
    assert (found.score, found.n) == (whole.score, 40)
    assert found.left_out.tolist() == whole.left_out.tolist()


@pytest.mark.parametrize("y", [[5, 4, 3, 2, 4.5], [5, 4, 3, 2, 1]])
def test_a_harmonic_mean_of_one_column_is_0_unless_both_correlations_are_positive(y):
    found = score_once(Metric.HARMONIC, [1, 2, 3, 4, 20], y)

    assert found.spearman < 0
    assert (found.score, found.reason) == (0, Reason.NOT_POSITIVE)


def test_a_score_that_hangs_on_one_row_has_no_interval_and_no_proven_difference():
    x, y = DRAWN
    one = score_predictions(Metric.SPEARMAN, np.eye(1, 40)[0], y)
    others = [score_predictions(Metric.SPEARMAN, s * y + x / 9, y) for s in (1, -1)]

    assert (np.isnan(one.left_out).sum(), math.isnan(one.score)) == (1, False)
    assert score_interval(one, Metric.SPEARMAN) is None
    assert average_scores([one, others[0]], Metric.SPEARMAN).interval is None
    assert compare_scores(one, others[0]).p == 1
    entries = [Entry(name, {"sl": of}) for name, of in zip("abc", [one, *others], strict=True)]
    board = make_board(Rules("T", "test", SPEARMAN, {"sl": 40}), entries)
    p = {(test.first, test.second): test.p for test in board.differences["sl"]}
    assert p == {("b", "a"): 1, ("a", "c"): 1, ("b", "c"): compare_scores(*others).p}


def test_a_row_without_a_score_has_no_place_and_no_average():
    x, y = DRAWN
    none, some = (score_predictions(Metric.SPEARMAN, of, y) for of in (np.ones(40), x))
    entries = [Entry("none", {"fi": none, "sl": some}), Entry("some", {"fi": some, "sl": some})]

    board = make_board(Rules("T", "test", SPEARMAN, {"fi": 40, "sl": 40}), entries)

    assert (math.isnan(none.score), none.reason) == (True, Reason.CONSTANT)
    assert bootstrap_interval(Metric.SPEARMAN, np.ones(40), y, Bootstrap(100, 0)) is None
    by_name = {row.name: row for row in board.rows}
    assert (set(by_name["none"].cells), set(by_name["none"].places)) == ({"sl"}, {"sl"})
    assert set(by_name["some"].cells) == {"average", "fi", "sl"}
    assert METRICS[Metric.SPEARMAN].undefined in list_notes(board)
    assert read_board(render_board(board, is_gold_public=True)) == board


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ("73 59 74 76 76 60 78 63 75 60", 0.753),
        ("53 43 52 51 59 48 59 52 60 49", 0.558),
    ],
)  # SemEval-2017 Task 2, Tables 8 and 9
def test_the_six_best_scores_are_averaged_and_fewer_have_no_average(scores, expected):
    figures = {f"l{k}": only_score(int(of) / 100) for k, of in enumerate(scores.split())}
    rules = Rules("T", "test", SPEARMAN, dict.fromkeys(figures, 500), best_of=6)
    few = dict([*figures.items()][:5])

    board = make_board(rules, [Entry("whole", figures), Entry("few", few)])

    whole, few = board.rows
    assert whole.cells["average"].score == pytest.approx(expected, abs=5e-4)
    assert ("average" in few.cells, "average" in few.places) == (False, False)


@pytest.mark.parametrize(
    ("places", "ranks", "ranges"),
    [
        (Places.COMPETITION, ["1=", "1=", "3"], [(1, 2), (1, 2), (3, 3)]),
        (Places.DENSE, ["1=", "1=", "2"], [(1, 1), (1, 1), (2, 2)]),
    ],
)
def test_equal_scores_share_places_by_the_rule(places, ranks, ranges):
    y = DRAWN[1]
    figures = [score_predictions(Metric.ACCURACY, of, y) for of in (y, y, (y + 1) % 5)]
    entries = [Entry(name, {"en-ar": of}) for name, of in zip("abc", figures, strict=True)]

    board = make_board(Rules("T", "test", TAGS, {"en-ar": 40}, places=places), entries)

    shown = [row.places["en-ar"] for row in board.rows]
    assert [f"{place.rank}{'=' * place.is_shared}" for place in shown] == ranks
    assert [(place.best, place.worst) for place in shown] == ranges
    assert read_board(render_board(board, is_gold_public=True)) == board
    assert b"100.0" in render_latex(board)
    assert b"100.0" in render_page(board)


def test_formulas_for_correlations_are_offered_for_correlations_alone():
    cell = Cell(0.8446, 0.7, 0.9, 24)

    assert write_ends(cell, is_percent=True) == "70.0–90.0"
    assert round_cell(cell, Metric.ACCURACY) == Cell(0.845, n=24)
    assert round_cell(cell, Metric.SPEARMAN).low is not None
    assert explain_few_pairs(Rules("T", "test", TAGS, {"sl": 24})) == []
    assert explain_few_pairs(Rules("T", "test", SPEARMAN, {"sl": 24})) != []


def read(data, track, ending=".tsv"):
    found = read_predictions(data.encode(), track, "en-ar", 3, (), IDS, ending)
    return None if found.numbers is None else found.numbers.tolist(), [*map(str, found.findings)]


EQUAL = "all predictions are equal"
ROW = "remove the row"


@pytest.mark.parametrize(
    ("track", "data", "ending", "numbers", "findings"),
    [
        (TAGS, "tag\tid\nF\tc\nT\ta\nT\tb\n", ".tsv", [1, 1, -1], []),
        (TAGS, '[{"id": "b", "tag": "F"}, {"id": "a", "tag": "T"}]', ".gold", [1, -1, 0.5],
         ["1 of 3 ids have no prediction, first c: they count as wrong"]),
        (TAGS, "id\ttag\na\tT\na\tF\nz\tT\nb\tyes\n", ".tsv", None,
         [f'row 2 (line 3), id: the id "a" has a row above; {ROW}',
          f'row 3 (line 4), id: the id "z" is not in the data; {ROW}',
          'row 4 (line 5), tag: "yes" is not a tag; write T or F',
          "1 of 3 ids have no prediction, first c: they count as wrong"]),
        (TAGS, '{"a": "T"}', ".gold", None,
         ['the file is not a list of ids and tags; write [{"id": "…", "tag": "T"}, …]']),
        (SPEARMAN, "id\tscore\nc\t3\nb\t2\na\t1\n", ".tsv", [1, 2, 3], []),
        (SPEARMAN, "id\tscore\nc\t3\n", ".tsv", None,
         ["2 of 3 ids have no prediction, first a, b; every row needs a prediction"]),
        (SPEARMAN, "0.5\r\n0.25\r\n1", ".txt", [0.5, 0.25, 1], []),
        (SPEARMAN, "0.5\n0,5\n1\n", ".txt", None, ['line 2: decimal comma in "0,5"; write 0.5']),
        (SPEARMAN, "0.5\n1\n", ".txt", None,
         ["2 lines, wanted 3; write one for each pair of the data file, in its order"]),
        (SPEARMAN, "1\n1\n1\n", ".txt", [1, 1, 1],
         [f"{EQUAL}: constant predictions have no score"]),
        (MEDIANS, "2\n2\n2\n", ".txt", [2, 2, 2], [EQUAL]),
        (MEDIANS, "id\tmedian\na\t1\nb\t2\nc\t2.5\n", ".tsv", None,
         ['row 3 (line 4), median: "2.5" is not a whole number; write the median as 1, 2, …']),
    ],
)  # fmt: skip
def test_predictions_by_id_are_read_in_each_form(track, data, ending, numbers, findings):
    assert read(data, track, ending) == (numbers, findings)


def test_a_part_has_one_result_file_for_a_track():
    files = [(f"results_subtask1_en-ar.{form}", b"") for form in ("tsv", "gold")]

    (error,) = sort_files(files, ["en-ar"], [TAGS]).errors

    assert "is there twice" in str(error[1])


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("id\tmedian\na\t1\na\t2\n", 'the id "a" is that of an earlier row'),
        ("id\tmedian\na\t\nb\t2\n", "the field is empty"),
        ("id\tmedian\nb\t1\na\t2\n", "does not have the ids of"),
        ("id\tmedian\na\t1.5\nb\t2\n", "has 1 pairs; practice data needs 3 or more"),
    ],
)
def test_gold_by_id_that_cannot_be_used_is_refused(gold, message):
    def use():
        part = make_part("sl", gold.encode(), b"id\tword1\na\tx\nb\ty\n", [MEDIANS])
        check_gold(part, [MEDIANS], is_practice=True)

    with pytest.raises(GoldError, match=message):
        use()


def test_the_command_scores_by_a_metric(tmp_path, capsys):
    gold, results = tmp_path / "gold_en-ar.tsv", tmp_path / "results_subtask1_en-ar.tsv"
    gold.write_text("id\ttag\na\tT\nb\tF\n")
    results.write_text("id\ttag\nb\tF\n")

    code = main(["score", "--metric", "accuracy", "--gold", str(tmp_path),
                 "--results", str(results)])  # fmt: skip

    said = capsys.readouterr()
    assert (code, "0.500" in said.out) == (0, True)
    assert "1 of 2 ids have no prediction, first a: they count as wrong" in said.err
