"""Written files contain no formulas, and are read back unchanged."""

import csv
import hashlib
import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.formats.files import (
    PvalueStyle,
    read_dataset,
    render_dataset,
    render_gold,
)
from postprocess.formats.reading import load_checks, load_columns, load_ratings
from postprocess.formats.stimuli import COLUMNS, digest_rows, parse_stimuli, render_stimuli
from postprocess.formats.tabular import read_cell, render_rows, write_cell
from postprocess.release.individual import WORDS, load_words, render_checks, render_ratings
from postprocess.table.rendering import render_table

HOSTILE = ("=1+1", "+1", "-x", "@sum", "'=1", "''-x", "-1+1", "'-1")
SCORES = pd.DataFrame(
    {"sim1": [1.0], "sim2": [0.5], "stdev1": [1.0], "stdev2": [1.0], "pvalue": [0.5]},
    index=pd.RangeIndex(1, 2, name="pair"),
)


def cells_of(text, delimiter="\t"):
    quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter, quoting=quoting))
    return [cell for row in rows for cell in row]


def is_formula(cell):
    if cell.startswith("-"):
        try:
            float(cell)
        except ValueError:
            return True
    return cell.startswith(("=", "+", "@", "\t", "\r"))


def stimuli_of(start):
    marked = f"{start} <strong>ice</strong> is <strong>water</strong>. So. "
    return (start, "water", f"{marked}1.", f"{marked}2.", "ice", "water", "ice", "water")


def ratings_of(name):
    columns = {"pair": [1, 1], "context": [1, 2], "annotator": [name] * 2, "rating": [-0.5, 2.0]}
    return pd.DataFrame({**columns, "group": [name] * 2, **{word: [name] * 2 for word in WORDS}})


@given(st.text("'=+-@1x\t\r.e"))
def test_a_cell_is_no_formula_and_is_read_as_it_was(text):
    cell = write_cell(text)

    assert read_cell(cell) == text
    assert not is_formula(cell)


@pytest.mark.parametrize("text", ["ice", "'tis", "-0.5", "-2.40E-05", "–x", "", "'", "a=b"])
def test_ordinary_cells_stay_as_they_are(text):
    assert write_cell(text) == read_cell(text) == text


@pytest.mark.parametrize("start", HOSTILE)
def test_stimuli(start):
    text = render_stimuli([stimuli_of(start)])

    assert not any(map(is_formula, cells_of(text)))
    parsed = parse_stimuli(text.encode())
    assert (parsed.rows, parsed.errors) == ((stimuli_of(start),), ())
    assert parsed.pairs[0].fields() == stimuli_of(start)


@pytest.mark.parametrize("start", HOSTILE)
def test_the_digest_of_stimuli_is_that_of_their_texts(start):
    row = stimuli_of(start)
    written = "".join("\t".join(cells) + "\n" for cells in (COLUMNS, row))

    assert digest_rows([row]) == hashlib.sha256(written.encode()).hexdigest()


def test_an_apostrophe_that_is_read_as_one_of_ours_is_warned_of():
    parsed = parse_stimuli(render_stimuli([stimuli_of("-ing")]).encode())

    assert {warning.column for warning in parsed.warnings} == {"word1", "context1", "context2"}
    assert "keeps spreadsheets from taking it for a formula" in parsed.warnings[0].reason


@pytest.mark.parametrize("start", HOSTILE)
def test_the_dataset(start):
    text = render_dataset([stimuli_of(start)], SCORES, pvalues=PvalueStyle(1e-4))

    assert not any(map(is_formula, cells_of(text)))
    assert tuple(read_dataset(text.encode())[list(COLUMNS)].iloc[0]) == stimuli_of(start)


def test_numbers_below_zero_stay_numbers():
    assert render_gold(SCORES).splitlines()[1] == "1\t0.5\t-0.5"
    assert render_table(pd.DataFrame({"x": [-0.5, -2]})) == "x\n-0.5\n-2\n"


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("as_categories", [False, True])
def test_tables_of_annotators_and_the_ledger(name, as_categories):
    column = pd.Series([name, "A01"])
    table = pd.DataFrame({"annotator": column.astype("category") if as_categories else column})

    assert not any(map(is_formula, cells_of(render_table(table))))


@pytest.mark.parametrize("name", HOSTILE)
def test_ratings(tmp_path, name):
    path = tmp_path / "ratings_xx.tsv"
    path.write_text(render_ratings(ratings_of(name), "xx"), encoding="utf-8")

    assert not any(map(is_formula, cells_of(path.read_text())))
    loaded = load_ratings(path, "xx")
    assert set(loaded["annotator"].astype(str)) == set(loaded["group"].astype(str)) == {name}
    words = load_words(path)
    assert set(words["inspired_word1"]) == set(words["annotator"]) == {name}
    assert set(load_columns(path, ["inspired_word2"])["inspired_word2"]) == {name}


@pytest.mark.parametrize("name", HOSTILE)
def test_answers_to_checkpoint_items(tmp_path, name):
    checks = pd.DataFrame({"group": [name], "annotator": [name], "rating": [-1.0]})
    path = tmp_path / "checkpoints_xx.csv"
    path.write_text(render_checks(checks, "xx"), encoding="utf-8")

    assert not any(map(is_formula, cells_of(path.read_text(), ",")))
    loaded = load_checks(path)
    assert (loaded["annotator"][0], loaded["group"][0], loaded["rating"][0]) == (name, name, "-1")


@pytest.mark.parametrize("text", HOSTILE)
def test_other_tables(text):
    assert not any(map(is_formula, cells_of(render_rows(("a", "b"), [(text, "x")]))))
