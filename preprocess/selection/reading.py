"""Files of candidates, as `candidates` writes them, read and checked row by row."""

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
from preprocess.windows.examining import SOURCE_COLUMNS

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
STAND_IN = MarkedContext("A. B.", Span(0, 1), Span(3, 4))  # where a row of stimuli needs another
OF_STIMULI = {
    "word1": "word1", "word2": "word2", "context1": "text",
    "word1_context1": "start1", "word2_context1": "start2",
}  # fmt: skip


class CandidatesFile(NamedTuple):
    """The rows of a file by pair and order, and the names of the models that scored them."""

    rows: list[dict[str, Any]]
    models: tuple[str, ...]


def read_candidates(data: bytes) -> CandidatesFile:
    """Read a file of candidates.

    Each row can be a context of a stimuli file. A score is a float, or None where a model gave
    none. Raises TableError with all that is wrong, by row (from 1) and column.
    """
    table = _read_parquet(data)
    columns = map(str, table)
    models = tuple(name[len(SCORE) :] for name in columns if name.startswith(SCORE))
    findings = [*_check_cells(table, models)]
    rows = [dict(zip(map(str, table), row, strict=True)) for row in table.itertuples(index=False)]
    if not findings:
        findings = [*_check_rows(rows), *_check_pairs(rows)]
    if findings:
        raise TableError(sorted(findings[:MOST_FINDINGS], key=lambda finding: finding.row or 0))
    for row in rows:
        scores = {model: row.pop(SCORE + model) for model in models}
        row["scores"] = {name: x if math.isfinite(x) else None for name, x in scores.items()}
    return CandidatesFile(sorted(rows, key=lambda row: (row["pair"], row["order"])), models)


def mark_candidate(row: Mapping[str, Any]) -> MarkedContext:
    """Return the text of a row with its target words."""
    first, second = (Span(row[f"start{n}"], row[f"end{n}"]) for n in (1, 2))
    return MarkedContext(row["text"], first, second)


def _read_parquet(data: bytes) -> pd.DataFrame:
    advice = "give the file that `preprocess candidates` has written"
    try:
        names = pq.read_schema(BytesIO(data)).names
        missing = [name for name in (*NUMBERS, *TEXTS) if name not in names]
        if set(missing) == OF_CHOICE:
            what = "this is a file of windows, and no candidates were picked among them yet"
            raise TableError([_unreadable(what, "pick some with `preprocess candidates`")])
        if missing:
            what = f"{'column' if len(missing) == 1 else 'columns'} {', '.join(missing)} missing"
            raise TableError([_unreadable(what, advice)])
        # a text that many rows share is stored once, and stays so in memory
        file = pq.ParquetFile(BytesIO(data), read_dictionary=list(TEXTS))
        if file.metadata.num_rows > MOST_ROWS:
            what = f"{file.metadata.num_rows:,} rows, more than {MOST_ROWS:,}"
            raise TableError([_unreadable(what, "split the file by pairs")])
        scores = [name for name in names if name.startswith(SCORE) and name != SCORE]
        table: pd.DataFrame = file.read([*NUMBERS, *TEXTS, *scores]).to_pandas()
    except (pa.ArrowException, OSError) as error:
        raise TableError([_unreadable("this is not a Parquet file", advice)]) from error
    if table.empty:
        raise TableError([_unreadable("the file has no rows", "look for windows of more pairs")])
    return table.astype(dict.fromkeys(TEXTS, object))


def _check_cells(table: pd.DataFrame, models: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding for each cell of the wrong kind; convert the columns of the table."""
    for column in NUMBERS:
        numbers = pd.to_numeric(table[column], errors="coerce")
        is_whole = numbers.notna() & (numbers % 1 == 0) & numbers.between(0, 2**31)
        yield from _list_cells(table[column], ~is_whole, "is not a whole number", "correct it")
        table[column] = numbers.where(is_whole, 0).astype("int64")
    for column in TEXTS:
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
    for place in is_wrong.to_numpy().nonzero()[0][:MOST_FINDINGS]:
        cell = "" if pd.isna(cells.iloc[place]) else str(cells.iloc[place])[:40]
        said = f'"{cell}" {what}'
        yield Finding(Severity.ERROR, said, int(place) + 1, str(cells.name), advice=advice)


def _check_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield what keeps a row from becoming a context of a stimuli file."""
    for number, row in enumerate(rows, 1):
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


def _check_pairs(rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    words: dict[int, tuple[str, str]] = {}
    windows: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
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
