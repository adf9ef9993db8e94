"""The files of a board show what the board has, and no more than they may."""

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from postprocess.boards.board import Cell
from postprocess.boards.entries import AVERAGE, BoardError, Entry, Kind, only_score
from postprocess.boards.exports.freezing import read_board, render_board
from postprocess.boards.exports.latex import render_latex
from postprocess.boards.exports.leaderboards import (
    HubDataset,
    Source,
    render_hub_results,
    render_mteb,
)
from postprocess.boards.exports.page import render_page
from postprocess.boards.exports.rounding import round_board
from postprocess.boards.exports.tables import render_csv, render_differences
from postprocess.scoring.metrics import GWSC, SIMILARITIES
from postprocess.scoring.ranking import round_all, round_score

LONG = re.compile(rb"[0-9]\.[0-9]{4,}")  # a figure with more than three decimals


@pytest.fixture(params=GWSC, ids=["changes", "scores"])
def board(request, small_board):
    human = Entry("human", {"fi": only_score(0.81)}, Kind.HUMAN)
    return small_board(request.param, more=[human])


def read_csv(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_a_frozen_board_is_read_into_the_same_object(board):
    data = render_board(board, is_gold_public=True)

    assert read_board(data) == board
    assert render_board(read_board(data), is_gold_public=True) == data
    assert read_board(render_board(board)) == round_board(board)


def test_rows_are_written_as_the_scorer_writes_them(board):
    content = json.loads(render_board(board, is_gold_public=True))

    rows = {row["name"]: row for row in content["rows"]}
    alba, eno = rows["Alba"], rows["Eno"]
    assert {"n", "score", "low", "high", "reason", "file_sha256"} <= set(alba["parts"]["fi"])
    assert (alba["parts"]["fi"]["n"], alba["missing"]) == (24, [])
    assert (eno["missing"], eno["average"], AVERAGE in eno["places"]) == (["fi"], None, False)
    tests = content["differences"]["fi"]
    assert len(tests["p"]) == len(tests["names"]) * (len(tests["names"]) - 1) / 2


def test_hidden_gold_is_not_given_away(board):
    files = [
        render_board(board), render_csv(board), render_differences(board), render_latex(board),
        render_mteb(board, "Alba", task_name="T", revision="r"),
    ]  # fmt: skip

    for data in files:
        assert not LONG.search(data)
        assert b"cdcdcd" not in data  # the digest of the gold
    shown = round_board(board)
    assert shown.differences == shown.best_baseline == {}
    for row in shown.rows:
        assert row.kind in ("team", "baseline")
        assert all((one.best, one.worst, one.group) == (None,) * 3 for one in row.places.values())
        for cell in row.cells.values():
            told = cell._replace(score=0, n=None, reason=None, file_sha256=None)
            assert told == Cell(0)
    tests = replace(board, differences={})
    assert render_differences(board) == render_differences(tests)
    assert b"95" not in render_latex(shown).partition(b"midrule")[0]
    page = re.sub(rb"<style>.*?</style>", b"", render_page(board), flags=re.DOTALL)
    assert not LONG.search(page)
    assert LONG.search(render_board(board, is_gold_public=True))
    assert round_board(round_board(board)) == round_board(board)


@given(st.lists(st.floats(-1, 1) | st.integers(-2000, 2000).map(lambda n: n / 2000)))
def test_many_figures_are_rounded_as_single_ones(figures):
    assert round_all(figures) == tuple(float(round_score(one) + 0) for one in figures)


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[1]", b'{"format": 2}', b'{"format": 1, "rules": {}}', b"[" * 9999, b"[NaN]"],
)
def test_what_is_no_board_is_not_read(data):
    with pytest.raises(BoardError):
        read_board(data)


def test_the_csv_has_all_rows_and_escapes_formulas(board):
    data = render_csv(board, is_gold_public=True)

    rows = {row["name"]: row for row in read_csv(data)}
    assert data.count(b"\r\n") == data.count(b"\n") == len(board.rows) + 1
    assert "'=Delta_1" in rows
    by_name = {row.name: row for row in board.rows}
    alba = by_name["Alba"]
    assert float(rows["Alba"]["fi"]) == alba.cells["fi"].score
    assert rows["Alba"]["average_rank"] == str(alba.places[AVERAGE].rank)
    assert (rows["Eno"]["average"], rows["Eno"]["average_rank"]) == ("", "")
    assert rows["Fulda"]["outside"] == "late"
    assert rows["distance"]["kind"] == "baseline"
    assert ("fi_pearson" in rows["Alba"]) == (board.rules.track is SIMILARITIES)


def test_the_differences_have_a_row_for_each_pair(board):
    rows = read_csv(render_differences(board, is_gold_public=True))

    assert len(rows) == 2 * 6 + 10  # the average and fi of four teams, sl of five
    first = rows[0]
    assert first["column"] == AVERAGE
    (tested, *_) = board.differences[AVERAGE]
    assert float(first["p_holm"]) == tested.holm


def test_the_table_for_papers_has_rules_between_groups(board):
    text = render_latex(board).decode()

    body = text.partition(r"\midrule")[2]
    n_groups = max(row.places[AVERAGE].group for row in board.rows if AVERAGE in row.places)
    assert n_groups > 1
    assert body.count(r"\midrule") == n_groups - 1 + 1  # and one above those outside
    assert r"\textit{distance}" in text
    assert r"Cem \& Co" in text
    assert r"=Delta\_1" in text
    assert "Fulda (late)" in text


ODD = r"Löwe & Söhne: 100% #1 $x_1^2$ {~} \relax <b>|"


def test_names_with_every_special_character_are_escaped_for_papers(small_board):
    text = render_latex(small_board(more=[Entry(ODD, {"fi": only_score(0.5)})])).decode()

    (row,) = [line for line in text.splitlines() if "Löwe" in line]
    assert row.split(" & ")[2] == (
        r"Löwe \& Söhne: 100\% \#1 \$x\_1\textasciicircum{}2\$ \{\textasciitilde{}\} "
        r"\textbackslash{}relax \textless{}b\textgreater{}\textbar{}"
    )
    assert len({line.count(" & ") for line in text.splitlines() if line.endswith(r" \\")}) == 1


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX is not installed")
def test_the_table_for_papers_is_typeset(board, tmp_path):
    (tmp_path / "board.tex").write_bytes(render_latex(board))
    (tmp_path / "paper.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\begin{document}\input{board}\end{document}"
    )

    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-2000:]


def test_the_page_is_one_file_with_all_rows(board):
    data = render_page(board, links={"Alba": "https://example.org/tasks/x/results/abcdefghij/"})

    tree = html.fromstring(data)
    assert not tree.xpath("//script | //link | //img | //*[@style]")
    (table,) = tree.xpath('//section[@id="by-average"]//table')
    names = [one.text_content().strip() for one in table.xpath(".//th[@scope='row']/bdi[1]")]
    assert set(names) == {row.name for row in board.rows if not row.outside}
    assert names[-2:] == ["Eno", "human"]  # without an average
    assert table.xpath(".//i[.='0.810']") or "0.810" in data.decode()
    assert (
        tree.xpath('//a[@rel="nofollow noopener"]/@href')
        == ["https://example.org/tasks/x/results/abcdefghij/"] * 3
    )
    assert len(table.xpath(".//tr[contains(@class, 'begins-group')]")) >= 1
    text = tree.text_content()
    for wanted in ("late", "Scored again on 2 March", "24 pairs are few", "Alba 1.0", "–"):
        assert wanted in text
    assert data == render_page(
        board, links={"Alba": "https://example.org/tasks/x/results/abcdefghij/"}
    )


def test_the_page_escapes_names(small_board):
    board = small_board(more=[Entry("<b>&", {"fi": only_score(0.5)})])

    assert b"<b>&" not in render_page(board)
    assert b"&lt;b&gt;&amp;" in render_page(board)


def test_the_form_of_mteb_has_a_score_for_each_language(board):
    content = json.loads(
        render_mteb(board, "Eno", task_name="CoSimLex", revision="abc", is_gold_public=True)
    )

    (score,) = content["scores"]["test"]
    assert (score["hf_subset"], score["languages"]) == ("sl", ["slv-Latn"])
    assert ("pearson" in score) == (board.rules.track is SIMILARITIES)
    assert (content["mteb_version"], content["dataset_revision"]) == (None, "abc")
    with pytest.raises(BoardError, match="the board has no row Nobody"):
        render_mteb(board, "Nobody", task_name="T", revision="r")


def test_the_form_of_the_hub_has_an_entry_for_each_dataset(board):
    data = render_hub_results(
        board,
        "Alba",
        {"fi": HubDataset("lab/cosimlex", "changes-fi", "v1"), "en": HubDataset("x/y", "z")},
        date="2026-03-12",
        source=Source("https://example.org/tasks/x/", "Invented"),
        notes="evaluation phase",
    )

    (entry,) = yaml.safe_load(data)
    assert entry["dataset"] == {"id": "lab/cosimlex", "task_id": "changes-fi", "revision": "v1"}
    assert entry["source"] == {"url": "https://example.org/tasks/x/", "name": "Invented"}
    row = {row.name: row for row in round_board(board).rows}["Alba"]
    assert entry["value"] == row.cells["fi"].score


def test_the_form_of_the_hub_is_read_by_its_own_reader(board):
    hub = pytest.importorskip("huggingface_hub")
    data = render_hub_results(
        board,
        "Alba",
        {"fi": HubDataset("lab/cosimlex", "changes-fi")},
        date="2026-03-12",
        source=Source("https://example.org/tasks/x/", "Invented"),
    )

    (entry,) = hub.parse_eval_result_entries(yaml.safe_load(data))

    assert (entry.dataset_id, entry.task_id) == ("lab/cosimlex", "changes-fi")
