"""Score predictions of a shared task, with Python 3.6 or later and nothing else.

    python3 score.py --gold gold --results res1 res2 [--data data] [--full]

compares result files, folders or zip archives of them with gold files. As the scoring program of
Codabench it is called with two folders, and writes scores.json into the second:

    python3 scoring.py /app/input /app/output

Subtask 1 is the uncentred correlation of predicted and published changes; subtask 2 the harmonic
mean of Pearson's and Spearman's correlation of predicted and published similarities. A file that
cannot be scored is refused with its first problem; `python -m postprocess score` explains all.
"""

import argparse
import json
import math
import re
import sys
import zipfile
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path, PurePosixPath
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

COLUMNS = {"1": ["change"], "2": ["sim_context1", "sim_context2"]}
GOLD_COLUMNS = ["sim_context1", "sim_context2", "change"]
CHECKED = ["pair", "word1", "word2"]  # compared with the data if a file has them
IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
ESCAPED = re.compile(r"'+(?!-[0-9]+(?:\.[0-9]+)?(?:[Ee][+-]?[0-9]+)?\Z)[=+\-@\t\r]")
LARGEST_FILE, LONGEST_LINE, MOST_COLUMNS, LONGEST_SHOWN = 10000000, 1000, 20, 80
REFUSED = 2

Numbers = List[float]
Words = Sequence[Sequence[str]]


class Refused(ValueError):
    """A file that cannot be scored, with the first reason."""


class Score(NamedTuple):
    """The score of a file; `pearson` and `spearman` are None in subtask 1 or if undefined."""

    score: float
    pearson: Optional[float]
    spearman: Optional[float]
    reason: str
    n: int


class Part(NamedTuple):
    """One language: similarities of both contexts of each pair in turn, changes, and words."""

    similarities: Numbers
    changes: Numbers
    words: Words


class Task(NamedTuple):
    """The gold by language, scored subtasks, required languages; the best n count if given."""

    parts: Dict[str, Part]
    subtasks: Sequence[str] = ("1", "2")
    required: Sequence[str] = ()
    best_of: Optional[int] = None


class Result(NamedTuple):
    """Scores by subtask and language, and why files are refused; then nothing counts."""

    scores: Dict[str, Dict[str, Score]]
    errors: List[str]


def score_changes(predicted: Numbers, gold: Numbers) -> Score:
    """Return the score of subtask 1."""
    x, y = _scale(predicted), _scale(gold)
    size = math.sqrt(_products(x, x) * _products(y, y))
    score = max(-1.0, min(1.0, _products(x, y) / size)) if size > 0 else 0.0
    return Score(score, None, None, "" if any(x) else "constant", len(x))


def score_similarities(predicted: Numbers, gold: Numbers) -> Score:
    """Return the score of subtask 2, given each pair's two similarities in turn."""
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
    """Return the mean score of all parts or of the best; None if there are too few."""
    n_counted = best_of or n_parts
    if len(scores) < n_counted:
        return None
    return math.fsum(sorted(scores)[-n_counted:]) / n_counted


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


def read_table(data: bytes, columns: Sequence[str]) -> Tuple[List[str], List[List[str]]]:
    """Return the header and all fields of a tab-separated text with some columns, or refuse it."""
    if len(data) > LARGEST_FILE:
        raise Refused(f"more than {LARGEST_FILE:,} bytes")
    if b"\n" not in data.rstrip(b"\r\n"):  # lines that end in CR alone
        data = data.rstrip(b"\r\n").replace(b"\r", b"\n")
    data = data.replace(b"\r\r\n", b"\r\n")
    lines = data.rstrip(b"\r\n").split(b"\n")
    if max(map(len, lines)) > LONGEST_LINE or data.count(b"\t") > MOST_COLUMNS * len(lines):
        raise Refused(f"a line has over {LONGEST_LINE:,} bytes, or over {MOST_COLUMNS} columns")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"not UTF-8 at byte {error.start + 1}") from error
    text = (text[:-1] if text.endswith("\r") else text).replace("\r\n", "\n").rstrip("\n")
    header, *rows = [line.split("\t") for line in text.split("\n")]
    for column in columns:
        if header.count(column) != 1:
            found = repr("\t".join(header)[:LONGEST_SHOWN])
            raise Refused(f"the header must name {column} once, separated by tabs; it is {found}")
    for number, fields in enumerate(rows, 2):
        if len(fields) != len(header) or not any(fields):
            raise Refused(
                f"line {number}: {len(fields)} fields, wanted {len(header)}, not all empty"
            )
    return header, rows


def read_predictions(data: bytes, subtask: str, n_pairs: int, words: Words = ()) -> Numbers:
    """Return a file's predictions, row by row. Raises Refused."""
    columns = COLUMNS[subtask]
    header, rows = read_table(data, columns)
    if len(rows) != n_pairs:
        raise Refused(f"{len(rows):,} rows, wanted {n_pairs:,}, in the order of the data file")
    checked = [name for name in CHECKED if name in header]
    if len({*checked}) != sum(name in CHECKED for name in header):
        raise Refused("the header names a column twice")
    numbers = []
    for number, fields in enumerate(rows, 1):
        row = dict(zip(header, fields))
        expected = {"pair": str(number)}
        if number <= len(words):
            expected.update(zip(CHECKED[1:], words[number - 1]))
        for name in checked:
            if expected.get(name, row[name]) not in (row[name], _unescape(row[name])):
                shown = row[name][:LONGEST_SHOWN]
                what = f'{name}: "{shown}", wanted "{expected[name]}" as in the data file'
                raise Refused(f"line {number + 1}, {what}")
        for name in columns:
            if not NUMBER.fullmatch(row[name]) or not math.isfinite(float(row[name])):
                shown = row[name][:LONGEST_SHOWN]
                raise Refused(f'line {number + 1}, {name}: "{shown}" is not a finite number')
            numbers.append(float(row[name]))
    return numbers


def _unescape(field: str) -> str:
    """Return a field without the apostrophe that keeps spreadsheets from reading a formula."""
    return field[1:] if ESCAPED.match(field) else field


def score_files(sent: Sequence[Tuple[str, bytes]], task: Task) -> Result:
    """Score files, given by their paths and contents."""
    result = Result({subtask: {} for subtask in task.subtasks}, [])
    names = {f"results_subtask{n}_{part}.tsv": (n, part) for n in COLUMNS for part in task.parts}
    sent = [(path, data) for path, data in sent if not _is_ignored(path)]
    given = [PurePosixPath(path).name for path, _ in sent]
    for (path, data), name in zip(sent, given):
        if name not in names:
            result.errors.append(f"{path}: not one of {', '.join(sorted(names))}")
            continue
        subtask, language = names[name]
        if given.count(name) > 1:
            result.errors.append(f"{path}: this name is there twice")
        elif subtask in task.subtasks:
            part = task.parts[language]
            is_changes = subtask == "1"
            score = score_changes if is_changes else score_similarities
            try:
                numbers = read_predictions(data, subtask, len(part.changes), part.words)
            except Refused as error:
                result.errors.append(f"{path}: {error}")
            else:
                gold = part.changes if is_changes else part.similarities
                result.scores[subtask][language] = score(numbers, gold)
    subtasks = {names[name][0] for name in given if name in names} & set(task.subtasks)
    if not subtasks:
        wanted = [name for name in sorted(names) if names[name][0] in task.subtasks]
        result.errors.append("no result file was sent; names are " + ", ".join(wanted))
    for name in sorted(set(names) - set(given)):
        if names[name][0] in subtasks and names[name][1] in task.required:
            result.errors.append(f"{name} is missing; this language is required")
    return result


def _is_ignored(path: str) -> bool:
    return any(part in IGNORED or part.startswith(".") for part in PurePosixPath(path).parts)


def read_files(paths: Sequence[Path]) -> Iterator[Tuple[str, bytes]]:
    """Yield all files with their paths, also from folders and zip archives."""
    for path in paths:
        if path.is_dir():
            for file in sorted(file for file in path.rglob("*") if file.is_file()):
                yield file.relative_to(path).as_posix(), file.read_bytes()
        elif path.suffix.lower() == ".zip":
            try:
                with zipfile.ZipFile(str(path)) as archive:
                    for info in archive.infolist():
                        if not (info.filename.endswith("/") or _is_ignored(info.filename)):
                            yield info.filename.replace("\\", "/"), archive.read(info)
            except (zipfile.BadZipFile, RuntimeError) as error:
                raise SystemExit(f"{path}: the archive cannot be read ({error})") from error
        else:
            yield path.name, path.read_bytes()


def read_parts(gold: Path, data: Optional[Path] = None) -> Dict[str, Part]:
    """Read the gold files in a folder or its folder gold, and data files if they are given."""
    parts = {}
    for path in sorted(list(gold.glob("gold_*.tsv")) + list(gold.glob("gold/gold_*.tsv"))):
        language = path.stem[len("gold_") :]
        words: Words = ()
        if data is not None:
            name = f"data_{language}.tsv"
            for file in [file for file in (data / name, data / "data" / name) if file.is_file()]:
                words = [[_unescape(x) for x in row] for row in _select(file, CHECKED[1:])]
        parts[language] = read_part(path, words)
    return parts


def read_part(gold: Path, words: Words = ()) -> Part:
    """Return the part of a gold file."""
    rows = [[float(field) for field in row] for row in _select(gold, GOLD_COLUMNS)]
    return Part([x for row in rows for x in row[:2]], [row[2] for row in rows], words)


def _select(path: Path, columns: Sequence[str]) -> List[List[str]]:
    """Return some columns of the organisers' file, row by row."""
    lines = path.read_text(encoding="utf-8-sig").rstrip("\n").split("\n")
    header, *rows = [line.split("\t") for line in lines]
    return [[row[header.index(column)] for column in columns] for row in rows]


def make_scores(result: Result, task: Task) -> Dict[str, float]:
    """Return the content of scores.json for one subtask, rounded; -1 for an average of too few."""
    scores = {part: score.score for part, score in result.scores[task.subtasks[0]].items()}
    average = average_scores(list(scores.values()), len(task.parts), task.best_of)
    rounded = {language: round_score(score) for language, score in scores.items()}
    return {"average": -1.0 if average is None else round_score(average), **rounded}


def score_bundle(folder: Path, out: Path) -> int:
    """Score the submission of a run on Codabench; return 1 if it is refused."""
    rules: Dict[str, Any] = json.loads((folder / "ref" / "task.json").read_text(encoding="utf-8"))
    parts = {
        language: read_part(folder / "ref" / f"gold_{language}.tsv", words)
        for language, words in rules["words"].items()
    }
    task = Task(parts, [rules["subtask"]], rules["required"], rules["best_of"])
    result = score_files(list(read_files([folder / "res"])), task)
    if _report(result):
        return 1
    text = json.dumps(make_scores(result, task), sort_keys=True) + "\n"
    (out / "scores.json").write_text(text, encoding="utf-8")
    return 0


def _report(result: Result) -> bool:
    """Write errors to the standard error; return whether there are any."""
    sys.stderr.write("".join(f"error: {error}\n" for error in result.errors))
    return bool(result.errors)


def render_scores(result: Result, task: Task, full: bool = False) -> str:
    """Return the scores as a table."""

    def write(number: Optional[float]) -> str:
        if number is None:
            return "-"
        return repr(number) if full else f"{round_score(number):.3f}"

    lines = ["subtask\tlanguage\tpairs\tscore\tr\trho\treason"]
    for subtask, scores in result.scores.items():
        for language, score in sorted(scores.items()):
            numbers = [write(number) for number in (score.score, score.pearson, score.spearman)]
            lines.append("\t".join([subtask, language, str(score.n), *numbers, score.reason]))
        average = average_scores([s.score for s in scores.values()], len(task.parts), task.best_of)
        if len(task.parts) > 1 and average is not None:
            lines.append("\t".join([subtask, "average", "", write(average)]))
    return "".join(line.rstrip() + "\n" for line in lines)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Score, and return the exit status: 0, or REFUSED if files are refused."""
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
    result = score_files(list(read_files(options.results)), task)
    if _report(result):
        return REFUSED
    sys.stdout.write(render_scores(result, task, full=options.full))
    return 0


if __name__ == "__main__":
    sys.exit(main())
