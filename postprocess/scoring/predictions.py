"""Reading a result file: the predictions of one subtask for the pairs of one language."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from postprocess.formats.tabular import (
    UTF_16_MARKS,
    Finding,
    Severity,
    Table,
    end_lines,
    read_cell,
    read_header,
    shape_table,
    split_plain,
    unreadable,
)
from postprocess.scoring.metrics import GWSC, NO_TAG, TAGS, Metric, Track
from postprocess.types import Floats

TABLE, LINES, JSON = ".tsv", ".txt", ".gold"  # endings; the last two as in published data sets
ZIP_MARK = b"PK\x03\x04"  # at the start of .xlsx and .ods
PAIR = "pair"
CHECKED = (PAIR, "word1", "word2")  # compared with the data if a file has them
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NUMBERS = re.compile(rf"{NUMBER.pattern}(?:\n{NUMBER.pattern})*")
MINUS = "\N{MINUS SIGN}"
ODD_HEADERS = (  # signs in a header that has the names of the columns
    ("\0", "the file has NUL characters, as UTF-16 has", "save it as UTF-8"),
    ("[,;|]", "the columns are separated by commas, semicolons or vertical bars",
     "separate them by tabs"),
    ('"', "the names of the columns are in quotation marks", "write none (in R: quote = FALSE)"),
)  # fmt: skip
COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
MOST_ROWS, LONGEST_LINE = 100_000, 1_000  # bytes
MOST_MORE, MOST_COLUMNS = 1_000, 20  # rows beyond those wanted that are read; columns on average
ONE_EACH = "write one for each pair of the data file, in its order"
LONGEST_SHOWN = 40  # characters of a field in a message
NOT_A_NUMBER = ("nan", "na", "n/a", "none", "null", "inf", "-inf", "+inf", "infinity")


class Predictions(NamedTuple):
    """The numbers of a file, shape (n_pairs,) or (n_pairs, 2), and what is wrong or odd.

    `numbers` is None if anything is wrong.
    """

    numbers: Floats | None
    findings: list[Finding]


def name_result_file(subtask: int, language: str, ending: str = TABLE) -> str:
    """Return the name of the result file of a subtask and language.

    >>> name_result_file(1, "sl")
    'results_subtask1_sl.tsv'
    """
    return f"results_subtask{subtask}_{language}{ending}"


def list_endings(track: Track) -> tuple[str, ...]:
    """Return how names of a track's result files may end.

    Beside a table: the tags as MCL-WiC's gold (JSON), or one score a line, as SemEval-2017 Task 2.
    """
    if track.is_of_contexts or len(track.columns) > 1:
        return (TABLE,)
    return TABLE, JSON if track.metric is Metric.ACCURACY else LINES


def read_predictions(
    data: bytes,
    track: Track,
    language: str,
    n_pairs: int,
    words: Sequence[tuple[str, str]] = (),
    ids: Sequence[str] = (),
    ending: str = TABLE,
) -> Predictions:
    """Read a result file for a number of pairs, whose words are compared if they are given.

    Rows of a track that is not of contexts have the given ids. Every problem is found at once; none
    of them depends on the gold.
    """
    data = end_lines(data)
    if ending != JSON and (finding := _find_excess(data, n_pairs)):
        return Predictions(None, [finding])
    if not track.is_of_contexts:
        return _read_by_id(data, track, ids, ending)
    columns = track.columns
    header = read_header(data)
    if finding := _find_other_subtask(header, track, language):
        return Predictions(None, [finding])
    column_names = [*columns, *(name for name in CHECKED if name in header)]
    table = _read_table(data, column_names)
    findings = [*_explain_header(table, header, columns)]
    if not table.rows and any(finding.severity is not Severity.WARNING for finding in findings):
        return Predictions(None, findings)
    findings += [*_count_rows(table, n_pairs), *_check_words(table, column_names, words)]
    numbers, wrong = _read_numbers(table, columns, n_pairs)
    findings = sorted([*findings, *wrong], key=lambda finding: finding.row or 0)
    if any(finding.severity is not Severity.WARNING for finding in findings):
        return Predictions(None, findings)
    return Predictions(_flatten(numbers), [*findings, *_warn_of_equal(numbers, track)])


def _flatten(numbers: Floats) -> Floats:
    return numbers[:, 0] if numbers.shape[1] == 1 else numbers


def _warn_of_equal(numbers: Floats, track: Track) -> Iterator[Finding]:
    if not (numbers == numbers.flat[0]).all():
        return
    what = "all predictions are equal"
    if track.metric is Metric.SPEARMAN:
        what += ": constant predictions have no score"
    if track.metric is Metric.HARMONIC or (track.metric is Metric.CHANGE and not numbers.any()):
        what += ": constant predictions score 0"
    yield Finding(Severity.WARNING, what)


def _read_by_id(data: bytes, track: Track, ids: Sequence[str], ending: str) -> Predictions:
    """Return the predictions of a file in the order of the ids; an absent tag is `NO_TAG`."""
    table = _split_items(data, track, ids, ending)
    findings = [*table.findings]
    numbers = np.full((len(ids), len(track.columns)), NO_TAG)
    places, absent = {name: place for place, name in enumerate(ids)}, dict.fromkeys(ids)
    for row, (name, *fields) in table.rows.items():
        if name not in absent:
            what = "has a row above" if name in places else "is not in the data"
            what = f"the id {_show(name)} {what}"
            findings.append(_tell(ending, row, what, "id", "remove the row"))
            continue
        del absent[name]
        for column, field in enumerate(fields):
            number, problem = _read_value(field, track)
            if problem:
                findings.append(_tell(ending, row, problem[0], track.columns[column], problem[1]))
            numbers[places[name], column] = number
    if absent and table.rows:
        first = ", ".join([*absent][:5])
        what = f"{len(absent):,} of {len(ids):,} ids have no prediction, first {first}"
        finding = Finding(Severity.ERROR, what, advice="every row needs a prediction")
        if track.metric is Metric.ACCURACY:
            finding = Finding(Severity.WARNING, f"{what}: they count as wrong")
        findings.append(finding)
    if any(finding.severity is not Severity.WARNING for finding in findings):
        return Predictions(None, findings)
    return Predictions(_flatten(numbers), [*findings, *_warn_of_equal(numbers, track)])


def _split_items(data: bytes, track: Track, ids: Sequence[str], ending: str) -> Table:
    """Return the id and the fields of each row of a file."""
    if ending == JSON:
        try:
            entries = [(entry["id"], entry["tag"]) for entry in json.loads(data)]
        except (ValueError, TypeError, KeyError, RecursionError):
            advice = 'write [{"id": "…", "tag": "T"}, …]'
            return Table({}, (unreadable("the file is not a list of ids and tags", advice),))
        return Table({row: (str(name), str(tag)) for row, (name, tag) in enumerate(entries, 1)}, ())
    if ending == TABLE:
        return _read_table(data, ("id", *track.columns))
    column = track.columns[0]
    table = _read_table(f"{column}\n".encode() + data, (column,))
    if not table.errors and len(table.rows) != len(ids):
        what = f"{len(table.rows):,} lines, wanted {len(ids):,}"
        return Table({}, (Finding(Severity.ERROR, what, advice=ONE_EACH),))
    return Table({row: (ids[row - 1], *fields) for row, fields in table.rows.items()},
                 table.findings)  # fmt: skip


def _tell(ending: str, row: int, what: str, column: str, advice: str) -> Finding:
    """Return a finding about a row of a table, or about a line or an entry of other files."""
    if ending == TABLE:
        return Finding(Severity.ERROR, what, row, column, advice)
    where = "line" if ending == LINES else "entry"
    return Finding(Severity.ERROR, f"{where} {row:,}: {what}", advice=advice)


def _read_value(field: str, track: Track) -> tuple[float, tuple[str, str] | None]:
    """Return a tag or a number as a number, or what is wrong with it and what to do."""
    if track.metric is Metric.ACCURACY:
        wrong = f"{_show(field)} is not a tag", f"write {' or '.join(TAGS)}"
        return TAGS.get(field, 0.0), None if field in TAGS else wrong
    number, problem = read_number(field)
    if not problem and track.metric is Metric.ORDINAL_ALPHA and number != np.floor(number):
        problem = f"{_show(field)} is not a whole number", "write the median as 1, 2, …"
    return number, problem


def digest_numbers(numbers: Floats) -> str:
    """Return a SHA-256 digest of predictions, whatever their notation.

    >>> digest_numbers(np.array([0.5, -0.0])) == digest_numbers(np.array([5e-1, 0]))
    True
    """
    return hashlib.sha256((numbers + 0.0).astype("<f8").tobytes()).hexdigest()


def _read_table(data: bytes, columns: Sequence[str]) -> Table:
    """Read a file of the format itself; unlike `kinds.read_table`, no other kind of file."""
    if data.startswith(UTF_16_MARKS):
        return Table({}, (unreadable("the file is UTF-16", "save it as UTF-8"),))
    if data.startswith(ZIP_MARK):
        advice = "save it as UTF-8 text, its columns separated by tabs"
        return Table({}, (unreadable("the file is a spreadsheet", advice),))
    return shape_table(split_plain(data), columns)


def _read_numbers(
    table: Table, columns: Sequence[str], n_pairs: int
) -> tuple[Floats, list[Finding]]:
    """Return the numbers of the first columns, shape (n_pairs, n_columns), and what is wrong."""
    n_columns = len(columns)
    if len(table.rows) == n_pairs:
        fields = [field for row in table.rows.values() for field in row[:n_columns]]
        if NUMBERS.fullmatch("\n".join(fields)):
            numbers = np.array([*map(float, fields)]).reshape(n_pairs, n_columns)
            if np.isfinite(numbers).all():
                return numbers, []
    return _explain_numbers(table, columns, n_pairs)


def _explain_numbers(
    table: Table, columns: Sequence[str], n_pairs: int
) -> tuple[Floats, list[Finding]]:
    """Read each number by itself, as `_read_numbers`."""
    numbers = np.full((n_pairs, len(columns)), np.nan)
    findings = []
    for row, fields in table.rows.items():
        for column, field in enumerate(fields[: len(columns)]):
            number, problem = read_number(field)
            if problem:
                what, advice = problem
                finding = Finding(Severity.ERROR, what, row, columns[column], advice=advice)
                findings.append(finding)
            elif row <= n_pairs:
                numbers[row - 1, column] = number
    return numbers, findings


def _find_other_subtask(header: Sequence[str], track: Track, language: str) -> Finding | None:
    for other in GWSC:
        if other.metric is not track.metric and set(other.columns) <= set(header):
            if set(track.columns) <= set(header):
                return None
            columns = ", ".join(other.columns)
            what = f"these are the columns of subtask {other.number}: {columns}"
            name = name_result_file(other.number, language)
            return Finding(Severity.UNREADABLE, what, advice=f"name the file {name}")
    return None


def _explain_header(
    table: Table, header: Sequence[str], columns: Sequence[str]
) -> Iterator[Finding]:
    """Yield the findings of the table, or one about how its header is written."""
    odd = _find_odd_header(header, columns)
    for finding in table.findings:
        if odd and finding.row is None and finding.severity is Severity.UNREADABLE:
            yield unreadable(*odd)
            return
        yield finding


def _find_odd_header(header: Sequence[str], columns: Sequence[str]) -> tuple[str, str] | None:
    """Return how a header with the names of the columns is written wrongly, and what to do."""
    text = "\t".join(header)
    names = set(re.split("[,;|\t]", re.sub('[\0" ]', "", text)))
    if set(columns) <= set(header) or not set(columns) <= names:
        return None
    matches = ((what, advice) for sign, what, advice in ODD_HEADERS if re.search(sign, text))
    return next(matches, None)


def _count_rows(table: Table, n_pairs: int) -> Iterator[Finding]:
    shapeless = {f.row for f in table.findings if f.row and f.row not in table.rows}
    n_rows = len(table.rows) + len(shapeless)
    if n_rows != n_pairs:
        what = f"{n_rows:,} {'row' if n_rows == 1 else 'rows'}, wanted {n_pairs:,}"
        yield Finding(Severity.ERROR, what, advice=ONE_EACH)


def _check_words(
    table: Table, known: Sequence[str], words: Sequence[tuple[str, str]]
) -> Iterator[Finding]:
    """Yield a finding for the first row that names another pair than the data file.

    Without the words of the data file only the numbers of the pairs are compared.
    """
    checked = [(place, name) for place, name in enumerate(known) if name in CHECKED]
    if not checked:
        return
    if not words and any(name != PAIR for _, name in checked):
        what = "the words were not compared with those of the data file, which was not given"
        yield Finding(Severity.WARNING, what, advice="check the order of the rows")
    for row, fields in table.rows.items():
        expected = {PAIR: str(row)}
        if row <= len(words):
            expected |= dict(zip(CHECKED[1:], words[row - 1], strict=True))
        for place, name in checked:
            field = fields[place]
            if name in expected and expected[name] not in (field, read_cell(field)):
                what = f'{_show(field)}, but the data file has "{expected[name]}" here'
                advice = "write the rows in the order of the data file"
                yield Finding(Severity.ERROR, what, row, name, advice=advice)
                return


def _find_excess(data: bytes, n_pairs: int) -> Finding | None:
    """Return a finding for a text with far too many rows or fields, or with too long a line.

    Such a text is not read, since its fields would take a multiple of its size in memory.
    """
    if data.startswith((*UTF_16_MARKS, ZIP_MARK)):
        return None  # which is what is wrong
    lines = data.rstrip(b"\r\n").split(b"\n", MOST_ROWS + 1)
    n_rows = len(lines) - 1
    if n_rows > MOST_ROWS:
        return unreadable(f"more than {MOST_ROWS:,} rows", "send fewer")
    if n_rows > n_pairs + MOST_MORE:
        return unreadable(f"{n_rows:,} rows, wanted {n_pairs:,}", ONE_EACH)
    sizes = [len(line) for line in lines]
    if (longest := max(sizes)) > LONGEST_LINE:
        what = f"line {sizes.index(longest) + 1:,} has {longest:,} bytes"
        return unreadable(what, f"write {LONGEST_LINE:,} at most, and a row in each line")
    if data.count(b"\t") > MOST_COLUMNS * len(lines):
        return unreadable(f"more than {MOST_COLUMNS} columns", "send only those that are read")
    return None


def read_number(field: str) -> tuple[float, tuple[str, str] | None]:
    """Return a number, or what is wrong with it and what to do."""
    if NUMBER.fullmatch(field):
        number = float(field)
        if np.isfinite(number):
            return number, None
        return number, (f"{field[:LONGEST_SHOWN]} is too large", "write a smaller number")
    return np.nan, _explain_field(field)


def _explain_field(field: str) -> tuple[str, str]:
    """Return why a field is not a number, and what to do."""
    shown, stripped = _show(field), field.strip()
    if not stripped:
        return "the field is empty", "write a number"
    if NUMBER.fullmatch(stripped):
        return f"spaces around the number in {shown}", "remove them"
    if COMMA.fullmatch(stripped):
        return f"decimal comma in {shown}", f"write {stripped.replace(',', '.')[:LONGEST_SHOWN]}"
    if stripped.casefold() in NOT_A_NUMBER:
        return f"{shown} is not a number", "every pair needs a prediction"
    if NUMBER.fullmatch(stripped.replace(MINUS, "-")):
        return f"{shown} has a minus sign that is not a hyphen", "write -"
    return f"{shown} is not a number", "write digits, with a full stop for decimals"


def _show(field: str) -> str:
    return f'"{field[:LONGEST_SHOWN]}"'
