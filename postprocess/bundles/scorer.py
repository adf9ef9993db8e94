"""Score predictions of a shared task, with Python 3.6 or later and nothing else.

    python3 score.py --gold gold --results res1 res2 [--data data] [--full]

compares result files, folders or zip archives of them with gold files. As the scoring program of
Codabench it is called with two folders, and writes scores.json into the second:

    python3 scoring.py /app/input /app/output

Subtask 1 is the uncentred correlation of predicted and published changes; subtask 2 the harmonic
mean of Pearson's and Spearman's correlation of predicted and published similarities.
"""

import argparse
import codecs
import difflib
import json
import math
import re
import sys
import zipfile
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path, PurePosixPath
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

SUBTASKS = ("1", "2")
COLUMNS = {"1": ["change"], "2": ["sim_context1", "sim_context2"]}
GOLD_COLUMNS = ["sim_context1", "sim_context2", "change"]
CHECKED = ["pair", "word1", "word2"]
IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
MINUS = "\N{MINUS SIGN}"
NOT_A_NUMBER = ("nan", "na", "n/a", "none", "null", "inf", "-inf", "+inf", "infinity")
UNDECODED = re.compile("[\udc80-\udcff]")
ESCAPED = re.compile(r"'+(?!-[0-9]+(?:\.[0-9]+)?(?:[Ee][+-]?[0-9]+)?\Z)[=+\-@\t\r]")
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ZIP_MARK = b"PK\x03\x04"
LARGEST_FILE, MOST_ROWS, LONGEST_LINE = 10000000, 100000, 1000
MOST_MISSHAPEN, MOST_UNKNOWN, LONGEST_NAME, LONGEST_SHOWN, MOST_NAMED = 10000, 20, 100, 40, 20
MOST_MORE, MOST_COLUMNS = 1000, 20
ONE_EACH = "write one for each pair of the data file, in its order"
ROW_NAMES = (
    "each row has one field more than the header, as R writes row names",
    "write the file without row names (row.names = FALSE)",
)
ODD_HEADERS = (
    ("\0", "the file has NUL characters, as UTF-16 has", "save it as UTF-8"),
    ("[,;|]", "the columns are separated by commas, semicolons or vertical bars",
     "separate them by tabs"),
    ('"', "the names of the columns are in quotation marks", "write none (in R: quote = FALSE)"),
)  # fmt: skip
REFUSED = 2

Numbers = List[float]
Rows = Dict[int, List[str]]
Words = Sequence[Sequence[str]]


class Finding(NamedTuple):
    """What is wrong or odd; `row` counts from 1 below the header, 0 means the whole file."""

    is_error: bool
    what: str
    advice: str = ""
    row: int = 0
    column: str = ""

    def write(self, path: str) -> str:
        """Return the finding as text, with the file that it is about."""
        row = f"row {self.row} (line {self.row + 1})" if self.row else ""
        place = ", ".join(part for part in (path, row, self.column) if part)
        separator = "" if self.what.endswith("?") else ";"
        reason = self.what + (separator + " " + self.advice if self.advice else "")
        return place + ": " + reason if place else reason


class Score(NamedTuple):
    """The score of a file; `pearson` and `spearman` are None in subtask 1 or if undefined."""

    score: float
    pearson: Optional[float]
    spearman: Optional[float]
    reason: str
    n: int


def score_changes(predicted: Numbers, gold: Numbers) -> Score:
    """Return the score of subtask 1."""
    x, y = _scale(predicted), _scale(gold)
    size = math.sqrt(_products(x, x) * _products(y, y))
    score = max(-1.0, min(1.0, _products(x, y) / size)) if size > 0 else 0.0
    return Score(score, None, None, "" if any(x) else "constant", len(x))


def score_similarities(predicted: Numbers, gold: Numbers) -> Score:
    """Return the score of subtask 2, for the similarities of both contexts of each pair in turn."""
    x, y = _scale(predicted), _scale(gold)
    n = len(x) // 2
    if min(x) == max(x) or len(x) < 3:
        return Score(0.0, None, None, "constant" if min(x) == max(x) else "not positive", n)
    pearson, spearman = _correlate(x, y), _correlate(_rank(x), _rank(y))
    if pearson is None or spearman is None or not (pearson > 0 and spearman > 0):
        return Score(0.0, pearson, spearman, "not positive", n)
    return Score(2 * pearson * spearman / (pearson + spearman), pearson, spearman, "", n)


def average_scores(
    scores: Sequence[float], n_parts: int, best_of: Optional[int]
) -> Optional[float]:
    """Return the mean of the scores of all parts, or of the best ones; None for too few."""
    wanted = best_of or n_parts
    if len(scores) < wanted:
        return None
    return math.fsum(sorted(scores)[-wanted:]) / wanted


def round_score(score: float) -> float:
    """Return a score with three decimals, halves away from zero."""
    return float(Decimal(repr(score)).quantize(Decimal("0.001"), ROUND_HALF_UP))


def _scale(values: Numbers) -> Numbers:
    """Divide by a power of two, so that no square overflows or vanishes."""
    exponent = math.frexp(max(map(abs, values)))[1]
    return [math.ldexp(value, -exponent) for value in values]


def _products(x: Numbers, y: Numbers) -> float:
    return math.fsum(a * b for a, b in zip(x, y))


def _correlate(x: Numbers, y: Numbers) -> Optional[float]:
    """Return Pearson's correlation; None if a side is constant."""
    n = len(x)
    mean_x, mean_y = math.fsum(x) / n, math.fsum(y) / n
    x, y = [value - mean_x for value in x], [value - mean_y for value in y]
    total_x, total_y = math.fsum(x), math.fsum(y)
    squares_x = _products(x, x) - total_x * total_x / n
    squares_y = _products(y, y) - total_y * total_y / n
    size = math.sqrt(squares_x * squares_y) if squares_x > 0 and squares_y > 0 else 0.0
    products = _products(x, y) - total_x * total_y / n
    return max(-1.0, min(1.0, products / size)) if size > 0 else None


def _rank(values: Numbers) -> Numbers:
    """Return ranks from 1, the mean for equal values."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, first = [0.0] * len(values), 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in order[first : last + 1]:
            ranks[place] = (first + last) / 2 + 1
        first = last + 1
    return ranks


def read_predictions(
    data: bytes, subtask: str, language: str, n_pairs: int, words: Words = ()
) -> Tuple[Optional[Numbers], List[Finding]]:
    """Return the predictions of a file, row by row, or None; and what is wrong or odd."""
    columns = COLUMNS[subtask]
    data = end_lines(data)
    excess = _find_excess(data, n_pairs)
    header = data.partition(b"\n")[0].decode("utf-8-sig", "replace").rstrip("\r").split("\t")
    excess = excess or _find_other_subtask(header, subtask, language)
    if excess:
        return None, [excess]
    known = columns + [name for name in CHECKED if name in header]
    rows, table_findings = read_table(data, known)
    findings = _explain_header(table_findings, header, columns)
    if not rows and _has_error(findings):
        return None, findings
    n_rows = len(rows) + len({one.row for one in findings if one.row and one.row not in rows})
    if n_rows != n_pairs:
        noun = "row" if n_rows == 1 else "rows"
        what = f"{n_rows:,} {noun}, wanted {n_pairs:,}"
        findings.append(Finding(True, what, ONE_EACH))
    findings += _check_words(rows, known, words)
    numbers: Numbers = []
    for row, fields in rows.items():
        for column, field in zip(columns, fields):
            problem = _explain_field(field)
            numbers.append(math.nan if problem else float(field))
            if problem:
                findings.append(Finding(True, problem[0], problem[1], row, column))
    findings.sort(key=lambda one: one.row)
    if _has_error(findings):
        return None, findings
    if min(numbers) == max(numbers):
        scores_0 = subtask == "2" or not any(numbers)
        more = ": constant predictions score 0" if scores_0 else ""
        findings.append(Finding(False, "all predictions are equal" + more))
    return numbers, findings


def end_lines(data: bytes) -> bytes:
    """Return a text with LF for CR if its lines end in CR alone, and CRLF for CRCRLF."""
    if b"\n" not in data.rstrip(b"\r\n"):
        data = data.rstrip(b"\r\n").replace(b"\r", b"\n")
    return data.replace(b"\r\r\n", b"\r\n")


def read_table(data: bytes, columns: Sequence[str]) -> Tuple[Rows, List[Finding]]:
    """Return the fields of the given columns by row, and what is wrong or odd."""
    if data.startswith(UTF_16_MARKS):
        return {}, [Finding(True, "the file is UTF-16", "save it as UTF-8")]
    if data.startswith(ZIP_MARK):
        advice = "save it as UTF-8 text, its columns separated by tabs"
        return {}, [Finding(True, "the file is a spreadsheet", advice)]
    lines, findings = _decode_lines(data)
    if not lines:
        return {}, [*findings, Finding(True, "the file is empty", "it needs a header and rows")]
    if lines[0] is None:
        return {}, findings
    header = lines[0].split("\t")
    findings += _check_header(header, columns)
    if any(one.is_error and not one.row for one in findings):
        return {}, findings
    if len(lines) == 1:
        findings.append(Finding(True, "the file has a header but no rows", "add the rows"))
    places = [header.index(column) for column in columns]
    rows: Rows = {}
    misshapen: Rows = {}
    for row, line in enumerate(lines[1:], 1):
        fields = None if line is None else line.split("\t")
        if fields is None:
            continue
        if len(fields) == len(header) and any(fields):
            rows[row] = [fields[place] for place in places]
        else:
            misshapen[row] = fields
    if len(misshapen) > 1 and not rows and {*map(len, misshapen.values())} == {len(header) + 1}:
        findings.append(Finding(True, *ROW_NAMES))
        misshapen = {}
    findings += _explain_shapes(misshapen, len(header))
    return rows, sorted(findings, key=lambda one: one.row)


def _decode_lines(data: bytes) -> Tuple[List[Optional[str]], List[Finding]]:
    """Return the lines, None for one that is not UTF-8, and a finding on all such lines."""
    data = end_lines(data)
    text = data[len(codecs.BOM_UTF8) :] if data.startswith(codecs.BOM_UTF8) else data
    decoded = text.decode("utf-8", "surrogateescape")
    decoded = decoded[:-1] if decoded.endswith("\r") else decoded
    decoded = decoded.replace("\r\n", "\n").rstrip("\n")
    lines: List[Optional[str]] = list(decoded.split("\n")) if decoded else []
    bad = [place for place, line in enumerate(lines) if line and UNDECODED.search(line)]
    if not bad:
        return lines, []
    for place in bad:
        lines[place] = None
    whole = data.decode("utf-8", "surrogateescape")
    found = UNDECODED.search(whole)
    before = whole[: found.start() if found else None]
    position = len(before.encode("utf-8", "surrogateescape"))
    more = f" (and in {len(bad) - 1:,} more lines)" if len(bad) > 1 else ""
    where = f"in line {bad[0] + 1}, at byte {position + 1} of the file"
    what = f"not UTF-8: byte 0x{data[position]:02X} {where}{more}"
    return lines, [Finding(True, what, "save the file as UTF-8", bad[0])]


def _check_header(header: Sequence[str], columns: Sequence[str]) -> Iterator[Finding]:
    missing = [column for column in columns if column not in header]
    if missing:
        found = ", ".join(repr(name[:LONGEST_NAME]) for name in header[:20])
        noun = "column" if len(missing) == 1 else "columns"
        advice = f"the header must name them, separated by tabs (it has {found})"
        yield Finding(True, "missing {}: {}".format(noun, ", ".join(missing)), advice)
    for column in columns:
        if list(header).count(column) > 1:
            yield Finding(True, "the header names this column twice", "keep one", 0, column)
    unknown = list(dict.fromkeys(name for name in header if name and name not in columns))
    for name in unknown[:MOST_UNKNOWN]:
        what = f"unknown column {name[:LONGEST_NAME]!r}: not used"
        yield Finding(False, what, "remove it, or correct its name")
    n_more = len(unknown) - MOST_UNKNOWN
    if n_more > 0:
        yield Finding(False, f"{n_more:,} more unknown columns: not used", "remove them")


def _explain_shapes(misshapen: Rows, n_columns: int) -> Iterator[Finding]:
    """Yield findings on rows that do not match the header, the first ones in detail."""
    for row in list(misshapen)[:MOST_MISSHAPEN]:
        fields = misshapen[row]
        noun = "field" if len(fields) == 1 else "fields"
        likely = "a tab" if len(fields) > n_columns else "a line break"
        what = f"{len(fields)} {noun} instead of {n_columns}: {likely} inside a field?"
        if any(fields):
            yield Finding(True, what, "Replace it by a space", row)
        else:
            yield Finding(True, "the row is empty", "remove it", row)
    n_more = len(misshapen) - MOST_MISSHAPEN
    if n_more > 0:
        what = f"{n_more:,} more rows have not as many fields as the header"
        yield Finding(True, what, "correct them too", list(misshapen)[MOST_MISSHAPEN])


def _find_excess(data: bytes, n_pairs: int) -> Optional[Finding]:
    """Return a finding for a text of far too many rows, or with too long a line or many fields."""
    if data.startswith(UTF_16_MARKS) or data.startswith(ZIP_MARK):
        return None
    lines = data.rstrip(b"\r\n").split(b"\n", MOST_ROWS + 1)
    n_rows = len(lines) - 1
    if n_rows > MOST_ROWS:
        return Finding(True, f"more than {MOST_ROWS:,} rows", "send fewer")
    if n_rows > n_pairs + MOST_MORE:
        return Finding(True, f"{n_rows:,} rows, wanted {n_pairs:,}", ONE_EACH)
    sizes = [len(line) for line in lines]
    longest = max(sizes)
    if longest > LONGEST_LINE:
        what = f"line {sizes.index(longest) + 1:,} has {longest:,} bytes"
        return Finding(True, what, f"write {LONGEST_LINE:,} at most, and a row in each line")
    if data.count(b"\t") > MOST_COLUMNS * len(lines):
        return Finding(True, f"more than {MOST_COLUMNS} columns", "send only those that are read")
    return None


def _find_other_subtask(header: Sequence[str], subtask: str, language: str) -> Optional[Finding]:
    other = "2" if subtask == "1" else "1"
    is_other = set(COLUMNS[other]) <= set(header) and not set(COLUMNS[subtask]) <= set(header)
    if not is_other:
        return None
    what = "these are the columns of subtask {}: {}".format(other, ", ".join(COLUMNS[other]))
    return Finding(True, what, f"name the file results_subtask{other}_{language}.tsv")


def _explain_header(
    findings: List[Finding], header: Sequence[str], columns: Sequence[str]
) -> List[Finding]:
    """Return the findings, or one about how the header is written."""
    text = "\t".join(header)
    names = set(re.split("[,;|\t]", re.sub('[\0" ]', "", text)))
    is_odd = set(columns) <= names and not set(columns) <= set(header)
    signs = [odd for odd in ODD_HEADERS if is_odd and re.search(odd[0], text)]
    for place, one in enumerate(findings):
        if signs and not one.row and one.is_error:
            return [*findings[:place], Finding(True, *signs[0][1:])]
    return list(findings)


def _check_words(rows: Rows, known: Sequence[str], words: Words) -> List[Finding]:
    """Return a finding for the first row that names another pair than the data file."""
    checked = [(place, name) for place, name in enumerate(known) if name in CHECKED]
    findings = []
    if not words and any(name != "pair" for _, name in checked):
        what = "the words were not compared with those of the data file, which was not given"
        findings.append(Finding(False, what, "check the order of the rows"))
    for row, fields in rows.items():
        expected = {"pair": str(row)}
        if row <= len(words):
            expected.update(word1=words[row - 1][0], word2=words[row - 1][1])
        for place, name in checked:
            field = fields[place]
            if name in expected and expected[name] not in (field, _unescape(field)):
                what = f'"{field[:LONGEST_SHOWN]}", but the data file has "{expected[name]}" here'
                advice = "write the rows in the order of the data file"
                return [*findings, Finding(True, what, advice, row, name)]
    return findings


def _unescape(field: str) -> str:
    """Return a field without the apostrophe that keeps spreadsheets from reading a formula."""
    return field[1:] if ESCAPED.match(field) else field


def _explain_field(field: str) -> Optional[Tuple[str, str]]:
    """Return why a field is not a number, and what to do; None for a number."""
    if NUMBER.fullmatch(field):
        if math.isfinite(float(field)):
            return None
        return field[:LONGEST_SHOWN] + " is too large", "write a smaller number"
    shown, stripped = f'"{field[:LONGEST_SHOWN]}"', field.strip()
    if not stripped:
        return "the field is empty", "write a number"
    if NUMBER.fullmatch(stripped):
        return "spaces around the number in " + shown, "remove them"
    if COMMA.fullmatch(stripped):
        return "decimal comma in " + shown, "write " + stripped.replace(",", ".")[:LONGEST_SHOWN]
    if stripped.casefold() in NOT_A_NUMBER:
        return shown + " is not a number", "every pair needs a prediction"
    if NUMBER.fullmatch(stripped.replace(MINUS, "-")):
        return shown + " has a minus sign that is not a hyphen", "write -"
    return shown + " is not a number", "write digits, with a full stop for decimals"


def _has_error(findings: Sequence[Finding]) -> bool:
    return any(one.is_error for one in findings)


class Part(NamedTuple):
    """One language: similarities of both contexts of each pair in turn, changes, and words."""

    similarities: Numbers
    changes: Numbers
    words: Words


class Task(NamedTuple):
    """What is scored: languages with their gold, subtasks, languages that must be there."""

    parts: Dict[str, Part]
    subtasks: Sequence[str] = SUBTASKS
    required: Sequence[str] = ()
    best_of: Optional[int] = None


class Result(NamedTuple):
    """The scores by subtask and language, warnings, and errors, for which nothing is scored."""

    scores: Dict[str, Dict[str, Score]]
    warnings: List[str]
    errors: List[str]


def score_files(sent: Sequence[Tuple[str, bytes]], task: Task) -> Result:
    """Score files, given by their paths and contents."""
    scores: Dict[str, Dict[str, Score]] = {subtask: {} for subtask in task.subtasks}
    findings: List[Tuple[str, Finding]] = []
    for path, data, subtask, language in _sort_files(sent, task, findings):
        part = task.parts[language]
        numbers, found = read_predictions(data, subtask, language, len(part.changes), part.words)
        findings += [(path, one) for one in found]
        if numbers is not None:
            is_changes = subtask == "1"
            score = score_changes if is_changes else score_similarities
            gold = part.changes if is_changes else part.similarities
            scores[subtask][language] = score(numbers, gold)
    errors = [one.write(path) for path, one in findings if one.is_error]
    warnings = [one.write(path) for path, one in findings if not one.is_error]
    return Result(scores, warnings, errors)


def _sort_files(
    sent: Sequence[Tuple[str, bytes]], task: Task, findings: List[Tuple[str, Finding]]
) -> List[Tuple[str, bytes, str, str]]:
    """Return the result files with their subtasks and languages; add what is wrong or odd."""
    accepted = {
        f"results_subtask{subtask}_{language}.tsv": (subtask, language)
        for language in task.parts
        for subtask in SUBTASKS
    }
    places: Dict[str, str] = {}
    files = []
    for path, data in sent:
        place = PurePosixPath(path)
        if _is_ignored(path):
            continue
        if len(data) > LARGEST_FILE:
            what = f"the file has {len(data):,} bytes, more than {LARGEST_FILE:,}"
            findings.append((path, Finding(True, what, "send a number for each pair alone")))
        elif place.name not in accepted:
            nearest = difflib.get_close_matches(place.name[:80], list(accepted), n=1, cutoff=0)
            what = f"{place.name[:80]} is not the name of a result file"
            advice = f"did you mean {nearest[0]}?"
            if not place.name.lower().endswith(".tsv"):
                advice = f"send files such as {nearest[0]}, or pack them as .zip"
            findings.append((path, Finding(True, what, advice)))
        elif place.name in places:
            what = f"{place.name} is there twice: {places[place.name]} and {path}"
            findings.append((path, Finding(True, what, "keep one")))
        elif accepted[place.name][0] not in task.subtasks:
            what = f"subtask {accepted[place.name][0]} is not scored here"
            findings.append((path, Finding(False, what)))
        else:
            places[place.name] = path
            files.append((path, data) + accepted[place.name])
            if len(place.parts) > 1:
                what = "the file is in the folder {0}, not at the top; it is read"
                findings.append((path, Finding(False, what.format(place.parent))))
    if not files and not any(one.is_error for _, one in findings):
        subtask = task.subtasks[0]
        wanted = next(name for name in accepted if accepted[name][0] == subtask)
        findings.append(("", Finding(True, "no result file was sent", "name it " + wanted)))
    for subtask in sorted({file[2] for file in files}):
        there = {file[3] for file in files if file[2] == subtask}
        for language in task.required:
            if language not in there:
                what = "results_subtask{0}_{1}.tsv is missing; this language is required"
                findings.append(("", Finding(True, what.format(subtask, language))))
    return sorted(files, key=lambda file: file[2:])


def _is_ignored(path: str) -> bool:
    return any(part in IGNORED or part.startswith(".") for part in PurePosixPath(path).parts)


def read_files(paths: Sequence[Path]) -> List[Tuple[str, bytes]]:
    """Return the files, those in folders and those in zip archives, with their paths."""
    found = []
    for path in paths:
        if path.is_dir():
            inner = sorted(one for one in path.rglob("*") if one.is_file())
            found += [(one.relative_to(path).as_posix(), one.read_bytes()) for one in inner]
        elif path.suffix.lower() == ".zip":
            found += _read_archive(path)
        else:
            found.append((path.name, path.read_bytes()))
    return found


def _read_archive(path: Path) -> List[Tuple[str, bytes]]:
    """Return the files of a zip archive; end the program if it cannot be read."""
    try:
        with zipfile.ZipFile(str(path)) as archive:
            names = {one.filename.replace("\\", "/"): one for one in archive.infolist()}
            files = [name for name in names if not name.endswith("/") and not _is_ignored(name)]
            return [(name, archive.read(names[name])) for name in files]
    except (zipfile.BadZipFile, RuntimeError) as error:
        raise SystemExit(f"{path}: the archive cannot be read ({error})") from error


def read_parts(gold: Path, data: Optional[Path] = None) -> Dict[str, Part]:
    """Read the gold files in a folder or its folder gold, and data files if they are given."""
    parts = {}
    for path in sorted(list(gold.glob("gold_*.tsv")) + list(gold.glob("gold/gold_*.tsv"))):
        language = path.stem[len("gold_") :]
        words: Words = ()
        if data is not None:
            name = f"data_{language}.tsv"
            for file in [one for one in (data / name, data / "data" / name) if one.is_file()]:
                rows = read_table(file.read_bytes(), CHECKED[1:])[0].values()
                words = [[_unescape(field) for field in row] for row in rows]
        parts[language] = read_part(path.read_bytes(), words)
    return parts


def read_part(gold: bytes, words: Words = ()) -> Part:
    """Return the part of a gold file."""
    rows = [[float(x) for x in row] for row in read_table(gold, GOLD_COLUMNS)[0].values()]
    return Part([x for row in rows for x in row[:2]], [row[2] for row in rows], words)


def make_scores(result: Result, task: Task) -> Dict[str, float]:
    """Return the content of scores.json for one subtask, rounded; -1 for an average of too few."""
    scores = {language: one.score for language, one in result.scores[task.subtasks[0]].items()}
    average = average_scores(list(scores.values()), len(task.parts), task.best_of)
    rounded = {language: round_score(score) for language, score in scores.items()}
    return {"average": -1.0 if average is None else round_score(average), **rounded}


def score_bundle(folder: Path, out: Path) -> int:
    """Score the submission of a run on Codabench; return 1 if it is refused."""
    rules: Dict[str, Any] = json.loads((folder / "ref" / "task.json").read_text(encoding="utf-8"))
    parts = {
        language: read_part((folder / "ref" / f"gold_{language}.tsv").read_bytes(), words)
        for language, words in rules["words"].items()
    }
    task = Task(parts, [rules["subtask"]], rules["required"], rules["best_of"])
    result = score_files(read_files([folder / "res"]), task)
    if _report(result):
        return 1
    text = json.dumps(make_scores(result, task), sort_keys=True) + "\n"
    (out / "scores.json").write_text(text, encoding="utf-8")
    return 0


def _report(result: Result) -> bool:
    """Write warnings and errors to the standard error; return whether there are errors."""
    lines = ["warning: " + line for line in result.warnings]
    lines += ["error: " + line for line in result.errors[:MOST_NAMED]]
    n_more = len(result.errors) - MOST_NAMED
    if n_more > 0:
        lines.append(f"error: and {n_more:,} more")
    sys.stderr.write("".join(line + "\n" for line in lines))
    return bool(result.errors)


def render_scores(result: Result, task: Task, full: bool = False) -> str:
    """Return the scores as a table."""

    def write(figure: Optional[float]) -> str:
        if figure is None:
            return "-"
        return repr(figure) if full else f"{round_score(figure):.3f}"

    lines = ["subtask\tlanguage\tpairs\tscore\tr\trho\treason"]
    for subtask, found in result.scores.items():
        for language, one in sorted(found.items()):
            figures = [write(figure) for figure in (one.score, one.pearson, one.spearman)]
            lines.append("\t".join([subtask, language, str(one.n), *figures, one.reason]))
        scores = [one.score for one in found.values()]
        average = average_scores(scores, len(task.parts), task.best_of)
        if len(task.parts) > 1 and average is not None:
            lines.append("\t".join([subtask, "average", "", write(average), "", "", ""]))
    return "".join(line.rstrip() + "\n" for line in lines)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Score, and return the exit status: 0, or another one if files are refused."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*", help="of a run on Codabench")
    parser.add_argument("--gold", type=Path, help="folder with gold_<lang>.tsv")
    parser.add_argument("--results", type=Path, nargs="+", help="files, folders or zip archives")
    parser.add_argument("--data", type=Path, help="folder with data_<lang>.tsv, to check the rows")
    parser.add_argument("--full", action="store_true", help="print all digits, not three decimals")
    options = parser.parse_args(arguments)
    if len(options.folders) == 2:
        return score_bundle(*options.folders)
    if not options.gold or not options.results:
        parser.error("give --gold and --results")
    task = Task(read_parts(options.gold, options.data))
    if not task.parts:
        parser.error(f"{options.gold} has no file gold_<lang>.tsv")
    result = score_files(read_files(options.results), task)
    if _report(result):
        return REFUSED
    sys.stdout.write(render_scores(result, task, full=options.full))
    return 0


if __name__ == "__main__":
    sys.exit(main())
