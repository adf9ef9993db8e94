"""Reading a result file: the predictions of one subtask for the pairs of one language."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from postprocess.formats.tabular import Finding, Severity, Table, read_header, read_table
from postprocess.scoring.figures import Subtask
from postprocess.types import Floats

COLUMNS = {Subtask.CHANGES: ("change",), Subtask.SCORES: ("sim_context1", "sim_context2")}
CHECKED = ("pair", "word1", "word2")  # compared with the data if a file has them
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
NOT_A_NUMBER = ("nan", "na", "n/a", "none", "null", "inf", "-inf", "+inf", "infinity")


class Predictions(NamedTuple):
    """The numbers of a file, shape (n_pairs,) or (n_pairs, 2), and what is wrong or odd.

    `numbers` is None if anything is wrong.
    """

    numbers: Floats | None
    findings: list[Finding]


def read_predictions(
    data: bytes,
    subtask: Subtask,
    language: str,
    n_pairs: int,
    words: Sequence[tuple[str, str]] = (),
) -> Predictions:
    """Read a result file for a number of pairs, whose words are compared if they are given.

    Every problem is found at once; none of them depends on the gold.
    """
    columns = COLUMNS[subtask]
    header = read_header(data)
    if finding := _find_other_subtask(header, subtask, language):
        return Predictions(None, [finding])
    known = [*columns, *(name for name in CHECKED if name in header)]
    table = read_table(data, known)
    findings = [*_explain_header(table, header, columns)]
    if not table.rows and any(one.severity is not Severity.WARNING for one in findings):
        return Predictions(None, findings)
    findings += [*_count_rows(table, n_pairs), *_check_words(table, known, words)]
    numbers = np.full((n_pairs, len(columns)), np.nan)
    for row, fields in table.rows.items():
        for column, field in enumerate(fields[: len(columns)]):
            number, problem = _read_number(field)
            if problem:
                what, advice = problem
                finding = Finding(Severity.ERROR, what, row, columns[column], advice=advice)
                findings.append(finding)
            elif row <= n_pairs:
                numbers[row - 1, column] = number
    findings.sort(key=lambda one: one.row or 0)
    if any(one.severity is not Severity.WARNING for one in findings):
        return Predictions(None, findings)
    if np.ptp(numbers) == 0:
        scores_0 = subtask is Subtask.SCORES or not numbers.any()
        what = "all predictions are equal" + (": constant predictions score 0" if scores_0 else "")
        findings.append(Finding(Severity.WARNING, what))
    return Predictions(numbers if subtask is Subtask.SCORES else numbers[:, 0], findings)


def _find_other_subtask(header: Sequence[str], subtask: Subtask, language: str) -> Finding | None:
    for other, columns in COLUMNS.items():
        if other is not subtask and set(columns) <= set(header):
            if set(COLUMNS[subtask]) <= set(header):
                return None
            what = f"these are the columns of subtask {other}: {', '.join(columns)}"
            name = f"results_subtask{other}_{language}.tsv"
            return Finding(Severity.UNREADABLE, what, advice=f"name the file {name}")
    return None


def _explain_header(
    table: Table, header: Sequence[str], columns: Sequence[str]
) -> Iterator[Finding]:
    """Yield the findings of the table, or one about commas used instead of tabs."""
    is_comma = len(header) == 1 and set(re.split(r"[,;]", header[0])) >= set(columns) != {header[0]}
    for finding in table.findings:
        if is_comma and finding.row is None and finding.severity is Severity.UNREADABLE:
            what = "the columns are separated by commas or semicolons"
            yield Finding(Severity.UNREADABLE, what, advice="separate them by tabs")
            return
        yield finding


def _count_rows(table: Table, n_pairs: int) -> Iterator[Finding]:
    """Yield a finding for a wrong number of rows."""
    shapeless = {one.row for one in table.findings if one.row and one.row not in table.rows}
    n_rows = len(table.rows) + len(shapeless)
    if n_rows != n_pairs:
        what = f"{n_rows:,} {'row' if n_rows == 1 else 'rows'}, wanted {n_pairs:,}"
        advice = "write one for each pair of the data file, in its order"
        yield Finding(Severity.ERROR, what, advice=advice)


def _check_words(
    table: Table, known: Sequence[str], words: Sequence[tuple[str, str]]
) -> Iterator[Finding]:
    """Yield a finding for the first row that names another pair than the data file."""
    checked = [(place, name) for place, name in enumerate(known) if name in CHECKED]
    for row, fields in table.rows.items():
        if row > len(words):
            return
        expected = dict(zip(CHECKED, (str(row), *words[row - 1]), strict=True))
        for place, name in checked:
            if fields[place] != expected[name]:
                what = f'"{fields[place][:40]}", but the data file has "{expected[name]}" here'
                advice = "write the rows in the order of the data file"
                yield Finding(Severity.ERROR, what, row, name, advice=advice)
                return


def _read_number(field: str) -> tuple[float, tuple[str, str] | None]:
    """Return a number, or what is wrong with it and what to do."""
    if NUMBER.fullmatch(field):
        number = float(field)
        if np.isfinite(number):
            return number, None
        return number, (f"{field} is too large", "write a smaller number")
    shown = f'"{field[:40]}"'
    if not field.strip():
        return np.nan, ("the field is empty", "write a number")
    if COMMA.fullmatch(field):
        return np.nan, (f"decimal comma in {shown}", f"write {field.replace(',', '.')}")
    if field.strip().casefold() in NOT_A_NUMBER:
        return np.nan, (f"{shown} is not a number", "every pair needs a prediction")
    return np.nan, (f"{shown} is not a number", "write digits, with a full stop for decimals")
