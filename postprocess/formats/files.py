"""The published number format, and the published files except the stimuli."""

import codecs
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from postprocess.formats import stimuli
from postprocess.formats.kinds import read_table
from postprocess.formats.tabular import Finding, Severity, TableError, read_cell, render_rows

if TYPE_CHECKING:
    import pandas as pd

SCORE_COLUMNS = ("sim1", "sim2", "stdev1", "stdev2", "pvalue")
DATASET_COLUMNS = (*stimuli.COLUMNS[:4], *SCORE_COLUMNS, *stimuli.COLUMNS[4:])
GOLD_COLUMNS = ("sim_context1", "sim_context2", "change")
SIGNIFICANT_DIGITS = 3
LONGEST_HEADER = 1000  # bytes
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]+)?")


class PvalueStyle(NamedTuple):
    """The format of p-values, which have an exponent if they round to below a bound.

    `trailing_zeros`: whether the mantissa keeps three digits, as in `2.40E-05` (most published
    files), or drops trailing zeros, as in `2.4E-09` (one published file).
    """

    scientific_below: float
    trailing_zeros: bool = True


def format_number(x: float) -> str:
    """Format a number as in the published files.

    Three significant digits, ties to the even digit, no trailing zeros, never an exponent; NaN
    is empty. The number is first rounded to 12 digits against rounding errors, so that a mean of
    exactly 8.125 is a tie however it was computed. Raises ValueError for an infinity.

    >>> [format_number(x) for x in (10.0, 8.125, 4.375, 0.1176, -0.0000388, 0.0)]
    ['10', '8.12', '4.38', '0.118', '-0.0000388', '0']
    """
    return "" if math.isnan(x) else _plain(_round_significant(x))


def format_pvalue(p: float, style: PvalueStyle) -> str:
    """Format a p-value: as `format_number`, but `2.40E-05` if it rounds to below the bound.

    >>> [format_pvalue(0.000024, PvalueStyle(below)) for below in (1e-4, 1e-7)]
    ['2.40E-05', '0.000024']
    >>> format_pvalue(0.000024, PvalueStyle(1e-4, trailing_zeros=False))
    '2.4E-05'
    """
    if math.isnan(p):
        return ""
    rounded = _round_significant(p)
    if not rounded or rounded >= Decimal(str(style.scientific_below)):
        return _plain(rounded)
    mantissa, exponent = f"{rounded:.2E}".split("E")
    if not style.trailing_zeros:
        mantissa = _drop_trailing_zeros(mantissa)
    return f"{mantissa}E{int(exponent):+03d}"


def parse_number(text: str) -> float:
    """Parse a number in either format; empty is NaN. Raises ValueError.

    >>> parse_number("2.40E-05"), parse_number("0.000024"), parse_number("")
    (2.4e-05, 2.4e-05, nan)
    """
    if text == "":
        return float("nan")
    if not NUMBER.fullmatch(text) or math.isinf(float(text)):
        raise ValueError(f'"{text}" is not a number; write it as 0.118 or 2.40E-05')
    return float(text)


def render_dataset(
    rows: Iterable[Sequence[str]], scores: "pd.DataFrame", *, pvalues: PvalueStyle
) -> str:
    """Return the text of the dataset's file, `<name>_<lang>.csv`.

    `rows` are the stimuli in the order of `stimuli.COLUMNS`, written verbatim; `scores` has the
    columns of `aggregate_ratings` for the same pairs in the same order. Raises ValueError if
    their numbers differ.
    """
    columns = [_each_once(format_number, scores[column]) for column in SCORE_COLUMNS[:4]]
    columns.append(_each_once(lambda p: format_pvalue(p, pvalues), scores["pvalue"]))
    lines = ((*row[:4], *fields, *row[4:]) for row, *fields in zip(rows, *columns, strict=True))
    return render_rows(DATASET_COLUMNS, lines)


def render_gold(scores: "pd.DataFrame") -> str:
    """Return the text of `gold_<lang>.tsv`; changes are differences of rounded scores."""
    rows = (_gold_fields(*sims) for sims in zip(scores["sim1"], scores["sim2"], strict=True))
    return render_rows(GOLD_COLUMNS, rows)


def read_dataset(data: bytes) -> "pd.DataFrame":
    """Read the file of a dataset: its columns, scores as numbers, index pair from 1.

    Raises TableError with every row and column that cannot be read.
    """
    return _read_scores(data, DATASET_COLUMNS, SCORE_COLUMNS)


def read_gold(data: bytes) -> "pd.DataFrame":
    """Read `gold_<lang>.tsv`: its columns as numbers, index pair from 1.

    Raises TableError with every row and column that cannot be read.
    """
    return _read_scores(data, GOLD_COLUMNS, GOLD_COLUMNS)


def has_dataset_columns(path: Path) -> bool:
    """Return whether the first line of a file names the columns of a dataset. Raises OSError."""
    with path.open("rb") as file:
        first = file.readline(LONGEST_HEADER).removeprefix(codecs.BOM_UTF8)
    return first.rstrip(b"\r\n") == "\t".join(DATASET_COLUMNS).encode()


def _each_once(write: Callable[[float], str], numbers: Iterable[float]) -> list[str]:
    """Return the numbers as text, writing equal numbers once."""
    import numpy as np  # pages read recipes without it
    import pandas as pd  # slow to import

    codes, distinct = pd.factorize(np.asarray(numbers, dtype=float), use_na_sentinel=False)
    texts = np.array([write(float(number)) for number in distinct], dtype=object)
    return texts[codes].tolist() if len(codes) else []


def _round_significant(x: float) -> Decimal:
    if math.isinf(x):
        raise ValueError("an infinite number cannot be written")
    exact = Decimal(f"{x:.11e}")
    last_digit = Decimal(1).scaleb(exact.adjusted() - SIGNIFICANT_DIGITS + 1)
    return exact.quantize(last_digit, ROUND_HALF_EVEN)


def _plain(number: Decimal) -> str:
    if number == 0:
        return "0"
    return _drop_trailing_zeros(f"{number:f}")


def _drop_trailing_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _gold_fields(sim1: float, sim2: float) -> tuple[str, ...]:
    change = _round_significant(sim2) - _round_significant(sim1)
    rounded = tuple(format_number(sim) for sim in (sim1, sim2))
    return (*rounded, _plain(_round_significant(float(change))))


def _read_scores(
    data: bytes, columns: Sequence[str], number_columns: Sequence[str]
) -> "pd.DataFrame":
    import pandas as pd  # slow to import

    table = read_table(data, columns, numbers=number_columns)
    findings = table.errors
    for row, fields in table.rows.items():
        findings.extend(
            _number_findings(row, dict(zip(columns, fields, strict=True)), number_columns)
        )
    if findings:
        raise TableError(sorted(findings, key=lambda finding: finding.row or 0))
    index = pd.RangeIndex(1, len(table.rows) + 1, name="pair")
    scores = pd.DataFrame(list(table.rows.values()), columns=list(columns), index=index)
    scores = scores.assign(
        **{c: scores[c].map(read_cell) for c in columns if c not in number_columns}
    )
    return scores.assign(**{c: scores[c].map(parse_number).astype(float) for c in number_columns})


def _number_findings(
    row: int, fields: dict[str, str], number_columns: Sequence[str]
) -> Iterator[Finding]:
    for column in number_columns:
        try:
            parse_number(fields[column])
        except ValueError as error:
            yield Finding(Severity.ERROR, str(error), row, column)
