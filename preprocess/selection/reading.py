"""Files of candidates and of windows, read and checked row by row."""

import math
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from postprocess.formats.marks import TAG, MarkedContext, Span
from postprocess.formats.stimuli import StimulusPair, check_rows
from postprocess.formats.tabular import Finding, Severity, TableError
from postprocess.origin import Origin
from preprocess.corpora.conllu import SOURCE_COLUMNS
from preprocess.windows.table import WindowsError, load_settings

MOST_ROWS = 100_000
MOST_FINDINGS = 1_000  # that are listed
SCORE = "score_"
NEEDED = ("window", "word1", "word2", "text", "picked")  # texts that are not empty
NUMBERS = (
    "pair", "start1", "end1", "start2", "end2", "distance", "first_sentence", "last_sentence",
    "order",
)  # fmt: skip
TEXTS = (*NEEDED, "file", "first_id", "last_id", *SOURCE_COLUMNS)
OF_CHOICE = {"picked", "order"}  # which a file of windows does not have
OF_WINDOWS = ("rejected", "warnings")  # texts that a file of windows has
STAND_IN = MarkedContext("A. B.", Span(0, 1), Span(3, 4))  # where a row of stimuli needs another
OF_STIMULI = {
    "word1": "word1", "word2": "word2", "context1": "text",
    "word1_context1": "start1", "word2_context1": "start2",
}  # fmt: skip

Rows = Mapping[int, dict[str, Any]]  # by their numbers, from 1


class CandidatesFile(NamedTuple):
    """The rows of a file by pair and order, and the names of the models that scored them.

    `origin`: what the file says of how they were found; empty for nothing.
    """

    rows: list[dict[str, Any]]
    models: tuple[str, ...]
    origin: Origin


class WindowsFile(NamedTuple):
    """The windows of a file that were kept, and what it says of how they were found.

    `table` has the columns that `pick_candidates` needs; its index counts the rows of the file
    from 1.
    """

    table: pd.DataFrame
    origin: Origin


def is_file_of_windows(data: bytes) -> bool:
    """Return whether a file has windows, among which no candidates were picked yet."""
    try:
        names = set(pq.read_schema(BytesIO(data)).names)
    except (pa.ArrowException, OSError):
        return False
    return names.issuperset(OF_WINDOWS) and names.isdisjoint(OF_CHOICE)


def read_candidates(data: bytes) -> CandidatesFile:
    """Read a file of candidates.

    Each row can be a context of a stimuli file. A score is a float, or None where a model gave
    none. Raises TableError with all that is wrong, by row (from 1) and column.
    """
    table, origin = _read_parquet(data, NUMBERS, TEXTS)
    columns = map(str, table)
    models = tuple(name[len(SCORE) :] for name in columns if name.startswith(SCORE))
    findings = [*_check_cells(table, models)]
    rows = _list_rows(table)
    if not findings:
        findings = [*_check_rows(rows), *_check_pairs(rows)]
    _refuse(findings)
    for row in rows.values():
        scores = {model: row.pop(SCORE + model) for model in models}
        row["scores"] = {name: x if math.isfinite(x) else None for name, x in scores.items()}
    ordered = sorted(rows.values(), key=lambda row: (row["pair"], row["order"]))
    return CandidatesFile(ordered, models, origin)


def read_windows(data: bytes) -> WindowsFile:
    """Read the windows of a file that were kept.

    Whether each can be a context of a stimuli file is checked when it is picked. Raises TableError
    with all that is wrong, by row (from 1) and column.
    """
    numbers = tuple(name for name in NUMBERS if name not in OF_CHOICE)
    texts = (*(name for name in TEXTS if name not in OF_CHOICE), *OF_WINDOWS)
    table, origin = _read_parquet(data, numbers, texts)
    table = table[table["rejected"].isin(["", None])].copy()
    if table.empty:
        advice = "search a larger corpus, or widen the filters"
        raise TableError([_unreadable("all windows of the file were rejected", advice)])
    findings = [*_check_cells(table, ())] or [*_check_pairs(_list_rows(table))]
    _refuse(findings)
    return WindowsFile(table, origin)


def mark_candidate(row: Mapping[str, Any]) -> MarkedContext:
    """Return the text of a row with its target words."""
    first, second = (Span(row[f"start{n}"], row[f"end{n}"]) for n in (1, 2))
    return MarkedContext(row["text"], first, second)


def _read_parquet(
    data: bytes, numbers: Sequence[str], texts: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a file's columns and scores, by row from 1, and its origin."""
    advice = "give a file that `preprocess candidates` or `preprocess find` has written"
    try:
        names = pq.read_schema(BytesIO(data)).names
        if missing := [name for name in (*numbers, *texts) if name not in names]:
            what = f"{'column' if len(missing) == 1 else 'columns'} {', '.join(missing)} missing"
            raise TableError([_unreadable(what, advice)])
        # a text that many rows share is stored once, and stays so in memory
        file = pq.ParquetFile(BytesIO(data), read_dictionary=list(texts))
        if file.metadata.num_rows > MOST_ROWS:
            what = f"{file.metadata.num_rows:,} rows, more than {MOST_ROWS:,}"
            raise TableError([_unreadable(what, "split the file by pairs")])
        scores = [name for name in names if name.startswith(SCORE) and name != SCORE]
        table: pd.DataFrame = file.read([*numbers, *texts, *scores]).to_pandas()
        origin = load_settings(BytesIO(data))
    except WindowsError as error:
        raise TableError([_unreadable(str(error), "write the file again")]) from error
    except (pa.ArrowException, OSError) as error:
        raise TableError([_unreadable("this is not a Parquet file", advice)]) from error
    if table.empty:
        raise TableError([_unreadable("the file has no rows", "look for windows of more pairs")])
    return table.astype(dict.fromkeys(texts, object)).set_index(table.index + 1), origin


def _list_rows(table: pd.DataFrame) -> Rows:
    columns = list(map(str, table))
    rows = table.itertuples(index=False)
    return {
        number: dict(zip(columns, row, strict=True))
        for number, row in zip(table.index.tolist(), rows, strict=True)
    }


def _refuse(findings: Sequence[Finding]) -> None:
    if findings:
        raise TableError(sorted(findings[:MOST_FINDINGS], key=lambda finding: finding.row or 0))


def _check_cells(table: pd.DataFrame, models: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding for each cell of the wrong kind; convert the columns of the table."""
    for column in (name for name in NUMBERS if name in table):
        numbers = pd.to_numeric(table[column], errors="coerce")
        is_whole = numbers.notna() & (numbers % 1 == 0) & numbers.between(0, 2**31)
        yield from _list_cells(table[column], ~is_whole, "is not a whole number", "correct it")
        table[column] = numbers.where(is_whole, 0).astype("int64")
    for column in (name for name in (*TEXTS, *OF_WINDOWS) if name in table):
        if column not in NEEDED:
            table[column] = table[column].where(table[column].notna(), "")
        is_text = table[column].map(lambda cell: isinstance(cell, str))
        if column in NEEDED:
            is_text &= table[column].map(lambda cell: isinstance(cell, str) and cell.strip() != "")
        yield from _list_cells(table[column], ~is_text, "is empty or not a text", "fill it in")
    for column in (SCORE + model for model in models):
        numbers = pd.to_numeric(table[column], errors="coerce").astype(float)
        is_wrong = table[column].notna() & ~numbers.map(math.isfinite)
        yield from _list_cells(table[column], is_wrong, "is not a number", "correct it")
        table[column] = numbers


def _list_cells(cells: pd.Series, is_wrong: pd.Series, what: str, advice: str) -> Iterator[Finding]:
    for row, cell in cells[is_wrong].head(MOST_FINDINGS).items():
        shown = "" if pd.isna(cell) else str(cell)[:40]
        yield Finding(
            Severity.ERROR, f'"{shown}" {what}', int(str(row)), str(cells.name), advice=advice
        )


def _check_rows(rows: Rows) -> Iterator[Finding]:
    """Yield what keeps a row from becoming a context of a stimuli file."""
    for number, row in rows.items():
        spans = sorted((row[f"start{n}"], row[f"end{n}"]) for n in (1, 2))
        edges = [edge for span in spans for edge in span]
        if edges != sorted(edges) or any(a == b for a, b in spans) or edges[-1] > len(row["text"]):
            what = "the places of the two words are not two places in the text"
            yield Finding(Severity.ERROR, what, number, "start1", advice="correct start and end")
        elif TAG.search(row["text"]):
            what = "the text contains the marks of target words"
            yield Finding(Severity.ERROR, what, number, "text", advice="remove the row")
        else:
            yield from _check_context(number, row)


def _check_context(number: int, row: Mapping[str, Any]) -> Iterator[Finding]:
    fields = StimulusPair(row["word1"], row["word2"], mark_candidate(row), STAND_IN).fields()
    try:
        errors = check_rows([fields]).errors
    except TableError as error:
        errors = error.findings
    for found in errors:
        if column := OF_STIMULI.get(found.column or ""):
            yield Finding(Severity.ERROR, found.what, number, column, advice=found.advice)


def _check_pairs(rows: Rows) -> Iterator[Finding]:
    words: dict[int, tuple[str, str]] = {}
    windows: dict[str, int] = {}
    for number, row in rows.items():
        named = (row["word1"], row["word2"])
        if words.setdefault(row["pair"], named) != named:
            first = " and ".join(words[row["pair"]])
            what = f"pair {row['pair']} has the words {first} in an earlier row"
            yield Finding(Severity.ERROR, what, number, "pair", advice="correct one of them")
        if windows.setdefault(row["window"], number) != number:
            what = f'window "{row["window"][:40]}" was in row {windows[row["window"]]} already'
            yield Finding(Severity.ERROR, what, number, "window", advice="remove one of them")


def _unreadable(what: str, advice: str) -> Finding:
    return Finding(Severity.UNREADABLE, what, advice=advice)
