"""Boards of published data have the figures that were computed elsewhere; rules for all others."""

import numpy as np
import pytest
from scipy.stats import t as student

from postprocess.boards.entries import AVERAGE, BoardError, Entry, Kind, Rules, only_score
from postprocess.boards.making import make_board
from postprocess.boards.shown import (
    explain_column,
    list_lines,
    list_notes,
    list_outside,
    write_rank,
)
from postprocess.scoring.inference import compare_scores
from postprocess.scoring.metrics import CHANGES, SIMILARITIES
from tests.postprocess.boards.systems import draw_figures

EXACT = 1e-6
RULES = Rules("Task", "test", CHANGES, {"en": 340, "hr": 112, "sl": 111})


def places(board, column):
    return {
        line.row.name: (line.place.rank, line.place.best, line.place.worst, line.place.group)
        for line in list_lines(board, column)
        if line.place
    }


def pairs_of(board, column):
    return {(one.first, one.second): one for one in board.differences[column]}


def test_slovene_changes_of_the_published_data(gwsc):
    board = gwsc(CHANGES)

    tested = pairs_of(board, "sl")
    expected = {
        ("form", "distance"): (0.295158, 0.0290409, 0.0580818),
        ("wave", "form"): (None, 0.000201387, 0.000805548),
        ("form", "length"): (None, 0.000785785, 0.00235736),
        ("distance", "length"): (None, 0.082255, None),
    }
    for pair, (d, p, holm) in expected.items():
        assert tested[pair].p == pytest.approx(p, abs=EXACT)
        assert d is None or tested[pair].d == pytest.approx(d, abs=EXACT)
        assert holm is None or tested[pair].holm == pytest.approx(holm, abs=EXACT)
    assert places(board, "sl") == {
        "wave": (1, 1, 1, 1), "form": (2, 2, 3, 2), "distance": (3, 2, 4, 2),
        "length": (4, 3, 4, 2),
    }  # fmt: skip


def test_slovene_scores_of_the_published_data(gwsc):
    board = gwsc(SIMILARITIES)

    tested = pairs_of(board, "sl")["form", "length"]
    assert (tested.p, tested.holm) == pytest.approx((0.0284716, 0.0854149), abs=EXACT)
    assert places(board, "sl") == {
        "wave": (1, 1, 1, 1), "form": (2, 2, 4, 2), "distance": (3, 2, 4, 2),
        "length": (4, 2, 4, 2),
    }  # fmt: skip
    length = {row.name: row for row in board.rows}["length"].cells["sl"]
    assert (length.score, length.reason, length.low) == (0, "not positive", None)


def test_finnish_changes_of_the_published_data_prove_nothing(gwsc):
    names = ("wave", "form", "distance", "length", "mbert")
    board = gwsc(CHANGES, names=names)

    assert {one[1:] for one in places(board, "fi").values()} == {(1, 5, 1)}
    mbert = {row.name: row for row in gwsc(names=names, baselines=("distance", "form")).rows}
    cell = mbert["mbert"].cells["fi"]
    assert (cell.score, cell.low, cell.high) == pytest.approx(
        (0.671244, 0.419850, 0.826977), abs=EXACT
    )
    assert cell.p_distance == pytest.approx(0.0697, abs=5e-5)
    assert cell.p_baseline == cell.p_distance  # distance is the best baseline of Finnish
    assert any("fi: 24 pairs are few" in note for note in list_notes(board))
    assert any("Finnish: 24 pairs" in note for note in list_notes(board, {"fi": "Finnish"}))
    assert "scores of Finnish" in explain_column(board, "fi", {"fi": "Finnish"})[0]


def test_averages_of_the_published_data(gwsc):
    board = gwsc(CHANGES)

    cells = {row.name: row.cells[AVERAGE] for row in board.rows}
    for name, expected in {
        "wave": (0.771326, 0.671616, 0.843593),
        "form": (0.283795, 0.035984, 0.498726),
        "distance": (0.239968, 0.046494, 0.416088),
    }.items():
        cell = cells[name]
        assert (cell.score, cell.low, cell.high) == pytest.approx(expected, abs=EXACT)


def test_a_copy_of_a_baseline_counts_in_no_average():
    rng = np.random.default_rng(11)
    rules = Rules("Invented", "evaluation", CHANGES, {"fi": 24, "sl": 60}, best_of=1)
    base, own, other = (draw_figures(rng, n, quality=2, seed=n) for n in (24, 60, 24))
    entries = [
        Entry("distance", {"fi": base}, Kind.BASELINE),
        Entry("Alba", {"fi": base, "sl": own}),
        Entry("Brenta", {"fi": base}),
        Entry("Cem", {"fi": other}),
        Entry("Eno", {"fi": only_score(base.score)}),  # as if by chance
    ]

    cells = {row.name: row.cells for row in make_board(rules, entries).rows}

    assert cells["Alba"][AVERAGE].score == own.score
    assert AVERAGE not in cells["Brenta"]
    assert cells["Brenta"]["fi"].score == base.score
    assert {name for name, row in cells.items() if AVERAGE in row} == {
        "distance", "Alba", "Cem", "Eno",
    }  # fmt: skip


def test_references_stand_where_their_score_falls(gwsc):
    board = gwsc(CHANGES, baselines=("form", "distance"))

    lines = list_lines(board, "sl")
    assert [(line.row.name, write_rank(line.place)) for line in lines] == [
        ("wave", "1"), ("form", "–"), ("distance", "–"), ("length", "2"),
    ]  # fmt: skip
    assert [line.begins_group for line in lines] == [False, False, False, True]
    assert board.best_baseline["sl"] == "form"
    length = lines[-1].cell
    assert length.p_baseline == pytest.approx(0.000785785, abs=EXACT)
    assert length.p_distance == pytest.approx(0.082255, abs=EXACT)
    assert lines[1].cell.p_distance is None  # references are compared with nothing


def test_rows_without_a_score_are_at_the_end_without_rank(small_board):
    board = small_board()

    lines = list_lines(board, AVERAGE)
    assert (lines[-1].row.name, lines[-1].cell, lines[-1].place) == ("Eno", None, None)
    assert {line.row.name for line in lines if line.place} == {
        "Alba", "Brenta", "Cem & Co", "=Delta_1",
    }  # fmt: skip
    assert list_lines(board, "sl")[-1].row.name != "Eno"
    assert [(row.name, row.outside, row.places) for row in list_outside(board)] == [
        ("Fulda", "late", {})
    ]


def test_figures_equal_those_of_single_comparisons(small_board):
    rng = np.random.default_rng(1)
    figures = {name: draw_figures(rng, 60, seed=2) for name in ("a", "b", "distance")}
    rules = Rules("Task", "test", CHANGES, {"sl": 60})
    kinds = {"distance": Kind.BASELINE}
    entries = [
        Entry(name, {"sl": one}, kinds.get(name, Kind.TEAM)) for name, one in figures.items()
    ]

    board = make_board(rules, entries)

    (tested,) = board.differences["sl"]
    first, second = (figures[name] for name in (tested.first, tested.second))
    expected = compare_scores(first, second)
    assert (tested.d, tested.p, tested.holm) == pytest.approx((expected.d, expected.p, expected.p))
    for row in board.rows[:2]:
        against = compare_scores(figures[row.name], figures["distance"]).p
        assert row.cells["sl"].p_distance == pytest.approx(against)
    assert board.columns == ("sl",)


def test_scores_alone_have_ranks_and_nothing_else():
    scores = {"a": 0.774, "b": 0.768, "c": 0.76, "LMMS": 0.754, "BRUMS": 0.754, "f": 0.7}
    board = make_board(
        RULES, [Entry(name, {"en": only_score(one)}) for name, one in scores.items()]
    )

    assert board.differences == {}
    lines = list_lines(board, "en")
    assert [(line.row.name, write_rank(line.place)) for line in lines] == [
        ("a", "1"), ("b", "2"), ("c", "3"), ("BRUMS", "4="), ("LMMS", "4="), ("f", "6"),
    ]  # fmt: skip
    assert all(line.place.group is None and line.cell.low is None for line in lines)
    assert explain_column(board, "en")[0].startswith("Of some results only the scores are known")
    assert explain_column(board, "hr") == []  # nobody has a score there


def test_one_result_without_left_out_values_ends_the_tests_of_its_columns(small_board):
    board = small_board(more=[Entry("Garonne", {"fi": only_score(0.5)})])

    assert set(board.differences) == {AVERAGE, "sl"}
    assert explain_column(board, "fi")[0].startswith("Of some results")
    by_name = {row.name: row for row in board.rows}
    assert by_name["Alba"].places["fi"].best is None
    assert by_name["Alba"].cells["fi"].low is not None
    assert by_name["Garonne"].cells["fi"].p_distance is None


def test_the_best_languages_of_each_row_count():
    rng = np.random.default_rng(2)
    sizes = {"en": 30, "hr": 31, "sl": 32}
    rules = Rules("Task", "test", CHANGES, sizes, best_of=2)

    def draw(**qualities):
        return {
            x: draw_figures(rng, sizes[x], quality=q, seed=sizes[x]) for x, q in qualities.items()
        }

    entries = [
        Entry("all", draw(en=3, hr=0.1, sl=3)),
        Entry("two", draw(hr=2, sl=2)),
        Entry("one", draw(en=3)),
    ]

    board = make_board(rules, entries)

    by_name = {row.name: row for row in board.rows}
    scores = {name: {x: one.score for x, one in row.cells.items()} for name, row in by_name.items()}
    of_all = sorted((scores["all"][x] for x in sizes), reverse=True)
    assert scores["all"][AVERAGE] == pytest.approx(np.mean(of_all[:2]))
    assert scores["two"][AVERAGE] == pytest.approx(
        np.mean([scores["two"][x] for x in ("hr", "sl")])
    )
    assert AVERAGE not in scores["one"]
    (tested,) = board.differences[AVERAGE]
    figures = {entry.name: entry.figures for entry in entries}
    influence = {  # what each language adds to the difference of the averages
        "en": figures["all"]["en"].left_out / 2,
        "hr": -figures["two"]["hr"].left_out / 2,
        "sl": (figures["all"]["sl"].left_out - figures["two"]["sl"].left_out) / 2,
    }
    variances = {
        x: (len(one) - 1) / len(one) * ((one - one.mean()) ** 2).sum()
        for x, one in influence.items()
    }
    total = sum(variances.values())
    freedom = total**2 / sum(v**2 / (sizes[x] - 1) for x, v in variances.items())

    expected = 2 * student.sf(abs(tested.d) / np.sqrt(total), freedom)
    assert tested.p == pytest.approx(expected)
    assert any("2 best languages" in note for note in list_notes(board))


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([Entry("a", {}), Entry("a", {})], "two rows have the name a"),
        ([Entry("a", {"fi": only_score(0.5)})], "a, fi: the task does not have this language"),
        ([Entry("a", {"en": only_score(0.5, 12)})], "a, en: figures of 12 pairs; the part has 340"),
        ([Entry("a", {"en": only_score(float("inf"))})], "a, en: the score is not a finite number"),
    ],
)
def test_what_is_no_board_is_refused(entries, reason):
    with pytest.raises(BoardError, match=reason):
        make_board(RULES, entries)


def test_an_average_of_more_languages_than_there_are_is_refused():
    rules = Rules("Task", "test", CHANGES, {"en": 340}, best_of=2)

    with pytest.raises(BoardError, match="the average is of 2 languages, and the task has 1"):
        make_board(rules, [])


def test_an_empty_board_has_no_rows():
    board = make_board(RULES, [])

    assert (board.rows, board.differences, list_lines(board)) == ((), {}, [])
