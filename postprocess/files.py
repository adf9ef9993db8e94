"""The published number format, and every file format but that of the stimuli."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal

import pandas as pd

from postprocess import stimuli
from postprocess.ratings import COLUMNS as RATINGS_COLUMNS
from postprocess.ratings import RatingsError, name_some
from postprocess.tabular import (
    UTF_16_MARKS,
    ZIP_MARK,
    Finding,
    Severity,
    TableError,
    read_table,
)

SCORE_COLUMNS = ("sim1", "sim2", "stdev1", "stdev2", "pvalue")
DATASET_COLUMNS = (*stimuli.COLUMNS[:4], *SCORE_COLUMNS, *stimuli.COLUMNS[4:])
GOLD_COLUMNS = ("sim_context1", "sim_context2", "change")
SIGNIFICANT_DIGITS = 3
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]+)?")


def format_number(x: float) -> str:
    """Write a number as the published files do.

    Three significant digits, halves away from zero, no trailing zeros, never an exponent; NaN
    is empty. The number is first taken to 12 digits, as spreadsheets do, so that 3.125 counts
    as a half even if it was computed with float noise. Raises ValueError for an infinity.

    >>> [format_number(x) for x in (10.0, 3.125, 0.1176, -0.0000388, 0.0)]
    ['10', '3.13', '0.118', '-0.0000388', '0']
    """
    return "" if math.isnan(x) else _plain(_round_significant(x))


def format_pvalue(p: float, scientific_below: float) -> str:
    """Write a p-value: as `format_number`, but `2.40E-05` if it rounds to below the bound.

    >>> format_pvalue(0.000024, 1e-4), format_pvalue(0.000024, 1e-7)
    ('2.40E-05', '0.000024')
    """
    if math.isnan(p):
        return ""
    rounded = _round_significant(p)
    if rounded and rounded < Decimal(str(scientific_below)):
        return f"{float(rounded):.2E}"
    return _plain(rounded)


def parse_number(text: str) -> float:
    """Read a number in either way of writing it; empty is NaN. Raises ValueError.

    >>> parse_number("2.40E-05"), parse_number("0.000024"), parse_number("")
    (2.4e-05, 2.4e-05, nan)
    """
    if text == "":
        return float("nan")
    if not NUMBER.fullmatch(text):
        raise ValueError(f'"{text}" is not a number; write it as 0.118 or 2.40E-05')
    return float(text)


def render_dataset(
    rows: Iterable[Sequence[str]], scores: pd.DataFrame, *, scientific_below: float
) -> str:
    """The text of `cosimlex_<lang>.csv`.

    `rows` are the stimuli in the order of `stimuli.COLUMNS`, written verbatim; `scores` is what
    `aggregate_ratings` returns, row by row the same pairs. Raises ValueError if there are more
    of one than of the other.
    """
    lines = [
        (*row[:4], *_score_fields(score, scientific_below), *row[4:])
        for row, (_, score) in zip(rows, scores.iterrows(), strict=True)
    ]
    return _render(DATASET_COLUMNS, lines)


def render_gold(scores: pd.DataFrame) -> str:
    """The text of `gold_<lang>.tsv`; the change is that of the rounded scores, as published."""
    return _render(GOLD_COLUMNS, [_gold_fields(*sims) for sims in _sims(scores)])


def read_dataset(data: bytes) -> pd.DataFrame:
    """Read `cosimlex_<lang>.csv`: its columns, scores as numbers, index pair from 1.

    Raises TableError with every row and column that cannot be read.
    """
    return _read_scores(data, DATASET_COLUMNS, SCORE_COLUMNS)


def read_gold(data: bytes) -> pd.DataFrame:
    """Read `gold_<lang>.tsv`: its columns as numbers, index pair from 1.

    Raises TableError with every row and column that cannot be read.
    """
    return _read_scores(data, GOLD_COLUMNS, GOLD_COLUMNS)


def read_ratings(data: bytes, language: str) -> pd.DataFrame:
    """Read `ratings_<lang>.csv`, as text, for `check_ratings` to check.

    Comma separated with the usual quoting, with or without a byte order mark, LF or CRLF.

    Returns
    -------
    DataFrame, shape (n_ratings, up to 5)
        Those of pair, context, annotator, rating and group that the file has; further columns
        are left aside. The index, "line", is the line of the file on which the row ends.

    Raises
    ------
    RatingsError
        Not UTF-8, not comma separated, a row with more or fewer fields than the header, a
        column twice, or rows of another language.
    """
    lines = list(_csv_lines(data))
    if not lines:
        raise RatingsError("the ratings file is empty; it needs a header and rows")
    (_, header), rows = lines[0], lines[1:]
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise RatingsError(f"the ratings have a column twice: {', '.join(twice)}; keep one")
    if missing := [column for column in RATINGS_COLUMNS if column not in header]:
        found = ", ".join(repr(name) for name in header[:20])
        raise RatingsError(
            f"the ratings have no column {', '.join(missing)}; the first line must name them, "
            f"separated by commas (it has {found})"
        )
    if bad := [_name(i, rows) for i, (_, row) in enumerate(rows) if len(row) != len(header)]:
        raise RatingsError(f"not as many fields as the header's {len(header)}: {name_some(bad)}")
    index = pd.Index([line for line, _ in rows], name="line")
    ratings = pd.DataFrame([row for _, row in rows], columns=header, index=index, dtype=str)
    if "language" in ratings:
        _refuse_other_languages(ratings["language"].tolist(), rows, language)
    return ratings[[column for column in (*RATINGS_COLUMNS, "group") if column in ratings]]


def _round_significant(x: float) -> Decimal:
    if math.isinf(x):
        raise ValueError("an infinite number cannot be written")
    exact = Decimal(f"{x:.11e}")
    last_digit = Decimal(1).scaleb(exact.adjusted() - SIGNIFICANT_DIGITS + 1)
    return exact.quantize(last_digit, ROUND_HALF_UP)


def _plain(number: Decimal) -> str:
    if number == 0:
        return "0"
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _score_fields(score: pd.Series, scientific_below: float) -> tuple[str, ...]:
    numbers = tuple(format_number(float(score[column])) for column in SCORE_COLUMNS[:4])
    return (*numbers, format_pvalue(float(score["pvalue"]), scientific_below))


def _sims(scores: pd.DataFrame) -> Iterator[tuple[float, float]]:
    yield from zip(scores["sim1"].tolist(), scores["sim2"].tolist(), strict=True)


def _gold_fields(sim1: float, sim2: float) -> tuple[str, ...]:
    change = _round_significant(sim2) - _round_significant(sim1)
    rounded = tuple(format_number(sim) for sim in (sim1, sim2))
    return (*rounded, _plain(_round_significant(float(change))))


def _render(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in (columns, *rows))


def _read_scores(
    data: bytes, columns: Sequence[str], number_columns: Sequence[str]
) -> pd.DataFrame:
    table = read_table(data, columns)
    findings = [f for f in table.findings if f.severity is not Severity.WARNING]
    for row, fields in table.rows.items():
        findings.extend(
            _number_findings(row, dict(zip(columns, fields, strict=True)), number_columns)
        )
    if findings:
        raise TableError(sorted(findings, key=lambda finding: finding.row or 0))
    index = pd.RangeIndex(1, len(table.rows) + 1, name="pair")
    scores = pd.DataFrame(list(table.rows.values()), columns=list(columns), index=index)
    return scores.assign(**{c: scores[c].map(parse_number).astype(float) for c in number_columns})


def _number_findings(
    row: int, fields: dict[str, str], number_columns: Sequence[str]
) -> Iterator[Finding]:
    for column in number_columns:
        try:
            parse_number(fields[column])
        except ValueError as error:
            yield Finding(Severity.ERROR, str(error), row, column)


def _csv_lines(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """The filled lines of a CSV file with the line of the file on which each ends."""
    if data.startswith((*UTF_16_MARKS, ZIP_MARK)):
        raise RatingsError("the ratings are no UTF-8 text; save them as comma separated UTF-8")
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RatingsError(
            f"the ratings are not UTF-8: line {line}, byte {error.start + 1} of the file; "
            "save the file as UTF-8"
        ) from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as error:
        raise RatingsError(
            f"the ratings cannot be read as CSV in line {reader.line_num}: {error}"
        ) from error


def _refuse_other_languages(
    languages: Sequence[str], rows: Sequence[tuple[int, list[str]]], language: str
) -> None:
    bad = [f'{_name(i, rows)} "{x}"' for i, x in enumerate(languages) if x != language]
    if bad:
        raise RatingsError(f'language is not "{language}": {name_some(bad)}')


def _name(position: int, rows: Sequence[tuple[int, list[str]]]) -> str:
    return f"row {position + 1} (line {rows[position][0]})"
