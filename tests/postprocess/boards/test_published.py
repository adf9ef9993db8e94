"""Boards as they were printed: digits, order, places, and cells that equal a baseline's."""

import csv
from decimal import Decimal

import pytest

from postprocess.boards.entries import Entry, Kind, only_score
from postprocess.boards.published import index_baselines, read_printed
from postprocess.boards.shown import write_rank
from postprocess.formats.tabular import TableError
from postprocess.scoring.ranking import Places, round_score
from tests.machine import SHARED

BOARDS = SHARED / "boards"
HEADER = "kind\tname\toutside\ten\tfi\n"
TABLE = HEADER + (
    "team\tOtters\t\t.80\t0.671\n"
    "team\tHerons\t\t.80\t-\n"
    "team\tBadgers\t\t.7\t\n"
    "team\tLynxes\tlate\t.9\t.671\n"
    "baseline\tform\t\t.45\t.6710\n"
    "human\tpeople\t\t0.77\t−.1\n"
)
ORDER = (
    "printed_row\tlanguage\tname\tscore\n"
    "1\ten\tHerons\t.80\n2\ten\tOtters\t.80\n3\ten\tBadgers\t.7\n4\ten\tLynxes\t.9\n"
    "5\ten\tform\t.45\n6\ten\tpeople\t0.77\n1\tfi\tOtters\t0.671\n2\tfi\tHerons\t-\n"
    "4\tfi\tLynxes\t.671\n5\tfi\tform\t.6710\n6\tfi\tpeople\t−.1\n"
)
needs_boards = pytest.mark.skipif(not BOARDS.exists(), reason="not in a clone: ../shared")


def read(table=TABLE, order=None, **rules):
    return read_printed(table.encode(), order and order.encode(), **rules)


def show(board, column):
    return [(write_rank(cell.place), cell.name, cell.text) for cell in board.list_column(column)]


def load(name, order=None, **rules):
    data = None if order is None else (BOARDS / order).read_bytes()
    return read_printed((BOARDS / name).read_bytes(), data, **rules)


def rows_of(name):
    with (BOARDS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_cells_stay_as_printed_and_ties_keep_the_order_of_the_table():
    board = read()

    assert show(board, "en") == [("1=", "Otters", ".80"), ("1=", "Herons", ".80"),
                                 ("3", "Badgers", ".7")]  # fmt: skip
    assert show(board, "fi") == [("1", "Otters", "0.671"), ("–", "Herons", "-")]
    assert [(row.name, row.outside) for row in board.list_others()] == [
        ("Lynxes", "late"), ("form", ""), ("people", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (Places.COMPETITION, ["1=", "1=", "3"]),
        (Places.DENSE, ["1=", "1=", "2"]),
        (Places.NONE, ["–", "–", "–"]),
    ],
)
def test_equal_scores_share_places_by_the_rule_in_the_printed_order(places, expected):
    board = read(order=ORDER, places=places)

    assert show(board, "en") == [
        (place, *cell)
        for place, cell in zip(
            expected, [("Herons", ".80"), ("Otters", ".80"), ("Badgers", ".7")], strict=True
        )
    ]


def test_cells_equal_to_a_baseline_are_marked_also_outside_the_ranking():
    board = read()

    assert [(cell.name, cell.column) for cell in board.find_equal()] == [
        ("Otters", "fi"), ("Lynxes", "fi"),
    ]  # fmt: skip
    assert [cell.equals for cell in board.list_column("fi")] == ["form", ""]
    assert board.list_marks() == [
        "Otters (fi) and Lynxes (fi): equal to the baseline form: probably filled in by the scorer."
    ]


def test_two_decimals_are_no_proof_and_unreadable_print_is_told():
    rows = "team\tx\t\t.55\t?\nteam\ty\t\t0\t.1\nbaseline\tz\t\t.55\t.2\nbaseline\tw\t\t0\t.3\n"

    assert read(HEADER + rows).list_marks() == [
        "x (en): equal to the baseline z: perhaps chance.",
        "Cells with a question mark cannot be read in the source.",
    ]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("Otters\t0.671", "Otters\t0.672",
         "order: row 7 (line 8), score: Otters, fi: 0.672 here and 0.671 in the table"),
        ("Otters\t0.671", "Otters\t0.6710", "0.6710 here and 0.671 in the table"),
        ("2\tfi\tHerons\t-\n", "", "table: row 2 (line 3), fi: Herons: - is not in the order"),
        ("2\tfi\tHerons\t-", "2\tfi\tBadgers\t-", "- here and nothing in the table"),
        ("2\tfi\tHerons", "2\tsl\tHerons", "language: “sl” is no column of the table"),
        ("2\tfi\tHerons", "2\tfi\tStoats", "name: “Stoats” is no row of the table"),
        ("2\tfi\tHerons\t-", "2\tfi\tOtters\t0.671", "name: Otters is there twice in fi"),
        ("2\tfi\tHerons", "ii\tfi\tHerons", "printed_row: “ii” is no row"),
    ],
)  # fmt: skip
def test_an_order_that_differs_from_the_table_is_refused_by_name(before, after, message):
    with pytest.raises(TableError) as refused:
        read(order=ORDER.replace(before, after))

    assert message in str(refused.value)


def test_all_that_is_wrong_with_a_table_is_found_at_once():
    text = HEADER + "robot\tx\t\t0,5\t\nteam\t\t\t7\t.5\nteam\ty\t\t.5\t\nteam\ty\t\t.5\t84.5\n"

    with pytest.raises(TableError) as refused:
        read(text)

    assert [(finding.row, finding.column) for finding in refused.value.findings] == [
        (1, "kind"), (1, "en"), (2, "name"), (2, "en"), (4, "fi"), (4, "name"),
    ]  # fmt: skip
    with pytest.raises(TableError, match="table: missing column: outside"):
        read_printed(b"kind\tname\ten\nteam\tx\t.5\n")
    with pytest.raises(TableError, match="no column has scores"):
        read_printed(b"kind\tname\toutside\nteam\tx\t\n")


def test_baselines_of_a_board_are_indexed_by_their_scores_as_shown(small_board):
    board = small_board(more=[Entry("copy", {"fi": only_score(0.25)}, Kind.BASELINE),
                              Entry("zero", {"fi": only_score(0)}, Kind.BASELINE)])  # fmt: skip

    index = index_baselines(board)
    cells = {row.name: row for row in board.rows}["distance"].cells
    assert index == {
        ("fi", Decimal("0.250")): "copy",
        **{(name, round_score(cells[name].score)): "distance" for name in ("fi", "sl")},
    }


@needs_boards
@pytest.mark.parametrize(("number", "n_listed", "n_equal"), [(1, 36, 4), (2, 40, 6)])
def test_semeval_2020_is_listed_cell_by_cell_as_printed(number, n_listed, n_equal):
    order = f"subtask{number}-as-printed.tsv"
    board = load(f"subtask{number}.tsv", order)
    others = {row.name: row.cells for row in board.list_others()}
    expected = {column: [] for column in board.columns}
    for row in rows_of(order):  # in the order of rows
        if row["name"] in others:
            assert others[row["name"]][row["language"]] == row["score"]
        else:
            expected[row["language"]].append((row["name"], row["score"]))

    listed = {column: board.list_column(column) for column in board.columns}
    assert {c: [cell[:2] for cell in cells] for c, cells in listed.items()} == expected
    assert sum(map(len, listed.values())) == n_listed
    assert len(board.find_equal()) == n_equal
    assert {cell.baseline for cell in board.find_equal()} == {"mBERT_uncased"}


@needs_boards
def test_a_changed_digit_of_semeval_2020_is_refused_by_name():
    table = (BOARDS / "subtask2.tsv").read_bytes()
    order = (BOARDS / "subtask2-as-printed.tsv").read_bytes()

    with pytest.raises(TableError, match=r"will_go, sl: 0\.517 here and 0\.516 in the table"):
        read_printed(table, order.replace(b"will_go\t0.516", b"will_go\t0.517"))


@needs_boards
def test_equal_scores_of_semeval_2020_stand_in_another_order_in_each_column():
    board = load("subtask2.tsv", "subtask2-as-printed.tsv")

    assert show(board, "hr")[6:8] == [("7=", "AlexU-Aux-Bert", "0.402"), ("7=", "will_go", "0.402")]
    assert show(board, "sl")[3:5] == [("4=", "will_go", "0.516"), ("4=", "AlexU-Aux-Bert", "0.516")]
    assert board.list_others()[-1].cells["en"] == "0.77"


@needs_boards
def test_semeval_2017_has_its_finals_and_official_ranks():
    finals = {(row["system"], row["languages"]): row["final"]
              for row in rows_of("semeval2017-table8.tsv")}  # fmt: skip
    board = load("semeval2017-table8-final-board.tsv")
    there = {(row.name, column): text for row in board.rows for column, text in row.cells.items()}
    readable = {place: text for place, text in finals.items() if text not in ("-", "?", "")}

    assert there == readable
    assert all("perhaps chance" in mark for mark in board.list_marks())
    ranked = [row for row in rows_of("semeval2017-table9.tsv") if row["official_rank"] != "-"]
    assert show(load("semeval2017-table9-board.tsv"), "global") == [
        (row["official_rank"], row["system"], row["score"]) for row in ranked
    ]


@needs_boards
def test_mcl_wic_has_its_printed_places_and_baselines():
    board = load("mclwic-board-percent.tsv", places=Places.DENSE, is_percent=True)
    listed = {
        (column, place.strip("="), name, text)
        for column in board.columns
        for place, name, text in show(board, column)
    }
    assert listed == {
        (row["combination"].lower(), row["place"], row["team"], row["accuracy"])
        for row in rows_of("mclwic-tables6-7.tsv")
    }
    assert [cell[0] for cell in show(board, "ar-ar")] == ["1", "2", "3=", "3="]
    baselines = {row.name: row.cells for row in board.list_others()}
    for row in rows_of("mclwic-table8.tsv"):
        name = f"{row.pop('model')} setting {row.pop('setting')}"
        assert baselines[name] == row
