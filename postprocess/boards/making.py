"""Making a board of results: averages, intervals, ranks, tests, and the order of its rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from postprocess.boards.board import Board, Cell, Differences, Place, Row
from postprocess.boards.comparing import (
    Comparisons,
    Scores,
    compare_all,
    compare_with_one,
    place_systems,
)
from postprocess.boards.entries import AVERAGE, BoardError, Entry, Kind, Rules
from postprocess.scoring.figures import Figures
from postprocess.scoring.inference import average_scores, score_interval
from postprocess.scoring.metrics import Metric
from postprocess.scoring.ranking import correct_by_holm, round_score

DISTANCE = "distance"  # the name of the baseline that every board has


class _Column(NamedTuple):
    """The results in a column: the languages that count of each, by name, and its figures."""

    name: str
    entries: dict[str, Entry]
    languages: dict[str, tuple[str, ...]]
    cells: dict[str, Cell]


def make_board(rules: Rules, entries: Sequence[Entry]) -> Board:
    """Make the board of a phase and a subtask.

    Parameters
    ----------
    rules : Rules
        What the board is about.
    entries : sequence of Entry
        The counted submissions and the references, in any order. Left-out values may be missing.

    Returns
    -------
    Board
        Each column has ranks by the scores as shown. It has tests, rank ranges and groups if the
        left-out values of all its ranked systems are known.

    Raises
    ------
    BoardError
        Two rows of one name, a language that the task does not have, figures of another number of
        pairs or that are not finite, or an average of more languages than there are.
    """
    _check(rules, entries)
    copied = _find_copied(entries)
    columns = [_fill(rules, entries, name, copied) for name in (AVERAGE, *rules.languages)]
    cells: dict[str, dict[str, Cell]] = {entry.name: {} for entry in entries}
    places: dict[str, dict[str, Place]] = {entry.name: {} for entry in entries}
    differences, best_baseline = {}, {}
    for column in columns:
        if best := _find_best_baseline(column):
            best_baseline[column.name] = best
        for name, cell in _compare_with_baselines(rules, column, best).items():
            cells[name][column.name] = cell
        ranked, tested = _rank(rules, column)
        for name, place in ranked.items():
            places[name][column.name] = place
        if tested:
            differences[column.name] = tested
    rows = [
        Row(
            entry.name,
            entry.kind,
            entry.system,
            entry.attempts,
            entry.result,
            entry.outside,
            cells[entry.name],
            places[entry.name],
        )
        for entry in entries
    ]
    board = Board(rules, tuple(rows), differences, best_baseline)
    return replace(board, rows=tuple(sorted(rows, key=lambda row: _key(row, board.columns[0]))))


def _key(row: Row, column: str) -> tuple[int, bool, float, str]:
    """Return what rows are sorted by: their kind, and their scores as shown in a column."""
    cell = row.cells.get(column)
    shown = -float(round_score(cell.score)) if cell else 0.0
    return 1 if row.is_reference else 2 * bool(row.outside), cell is None, shown, row.name


def _check(rules: Rules, entries: Sequence[Entry]) -> None:
    names = Counter(entry.name for entry in entries)
    if twice := [name for name, n in names.items() if n > 1]:
        raise BoardError(f"two rows have the name {twice[0]}; give each row its own")
    if rules.best_of is not None and not 1 <= rules.best_of <= len(rules.sizes):
        raise BoardError(
            f"the average is of {rules.best_of} languages, and the task has {len(rules.sizes)}"
        )
    for entry in entries:
        for language, figures in entry.figures.items():
            place = f"{entry.name}, {language}"
            if language not in rules.sizes:
                raise BoardError(f"{place}: the task does not have this language")
            n, is_alpha = rules.sizes[language], rules.track.metric is Metric.ORDINAL_ALPHA
            if figures.n not in (0, n) and not (is_alpha and figures.n < n):
                raise BoardError(f"{place}: figures of {figures.n} pairs; the part has {n}")
            if np.isinf([figures.score, *figures.left_out]).any():
                raise BoardError(f"{place}: the score is not a finite number")


def _find_copied(entries: Sequence[Entry]) -> dict[str, set[str]]:
    """Return the languages, by team, whose figures are all equal to a baseline's, left out or not.

    Some scorers fill in the baseline for a missing language, and teams may send it in. 0 is common
    to many predictions, and does not count.
    """
    baselines = [entry for entry in entries if entry.kind is Kind.BASELINE]
    return {
        entry.name: {
            language
            for language, figures in entry.figures.items()
            if figures.score and _has_left_out(figures)
            for other in baselines
            if (base := other.figures.get(language)) and base.score == figures.score
            if np.array_equal(base.left_out, figures.left_out)
        }
        for entry in entries
        if entry.kind is Kind.TEAM
    }


def _fill(
    rules: Rules, entries: Sequence[Entry], name: str, copied: Mapping[str, set[str]]
) -> _Column:
    """Return the column of a language or of the averages."""
    column = _Column(name, {}, {}, {})
    for entry in entries:
        ignored = copied.get(entry.name, ()) if name == AVERAGE else ()
        figures = {tag: of for tag, of in entry.figures.items() if tag not in ignored}
        languages = _choose(rules, figures, name)
        if languages is None:
            continue
        column.entries[entry.name] = entry
        column.languages[entry.name] = languages
        chosen = [entry.figures[language] for language in languages]
        column.cells[entry.name] = (
            _average(rules, chosen) if name == AVERAGE else _describe(rules, entry, name)
        )
    return column


def _choose(rules: Rules, figures: Mapping[str, Figures], name: str) -> tuple[str, ...] | None:
    """Return the languages that count in a column; None if the row has no score there."""
    scored = {language for language in figures if not np.isnan(figures[language].score)}
    if name != AVERAGE:
        return (name,) if name in scored else None
    there = [language for language in rules.languages if language in scored]
    n_wanted = rules.best_of or len(rules.languages)
    if len(there) < n_wanted:
        return None
    best = sorted(there, key=lambda language: -figures[language].score)[:n_wanted]
    return tuple(language for language in there if language in best)


def _average(rules: Rules, chosen: Sequence[Figures]) -> Cell:
    if not all(_has_left_out(part) for part in chosen):
        return Cell(float(np.mean([part.score for part in chosen])))
    average = average_scores(chosen, rules.track.metric)
    low, high = average.interval or (None, None)
    return Cell(average.score, low, high)


def _describe(rules: Rules, entry: Entry, language: str) -> Cell:
    figures = entry.figures[language]
    is_known = _has_left_out(figures)
    interval = score_interval(figures, rules.track.metric) if is_known else None
    low, high = interval or (None, None)
    pearson, spearman = (
        None if np.isnan(rho) else float(rho) for rho in (figures.pearson, figures.spearman)
    )
    digest = entry.file_sha256.get(language)
    reason = figures.reason.value or None
    n = figures.n or None
    return Cell(figures.score, low, high, n, pearson, spearman, reason, digest)


def _has_left_out(figures: Figures) -> bool:
    return len(figures.left_out) > 1


def _stack(rules: Rules, column: _Column, names: Sequence[str]) -> Scores | None:
    """Return the scores and left-out values of rows; None unless all have them."""
    used = {language for name in names for language in column.languages[name]}
    lengths = {
        language: {
            len(column.entries[name].figures[language].left_out)
            for name in names
            if language in column.languages[name]
        }
        for language in rules.languages
        if language in used
    }
    if any(len(n_groups) > 1 or min(n_groups) < 2 for n_groups in lengths.values()):
        return None
    arrays = []
    for language, (n_groups,) in lengths.items():
        array = np.zeros((len(names), n_groups))
        for row, name in enumerate(names):
            if language in (languages := column.languages[name]):
                array[row] = column.entries[name].figures[language].left_out / len(languages)
        arrays.append(array)
    return Scores(np.array([column.cells[name].score for name in names]), tuple(arrays))


def _rank(rules: Rules, column: _Column) -> tuple[dict[str, Place], Differences | None]:
    """Return the places of a column's ranked rows, and the tests between all their pairs."""
    scores = {
        name: column.cells[name].score for name, entry in column.entries.items() if entry.is_ranked
    }
    names = sorted(scores, key=lambda name: (-round_score(scores[name]), name))
    stacked = _stack(rules, column, names) if len(names) > 1 else None
    in_order = np.array([scores[name] for name in names])
    if stacked is None:
        return dict(zip(names, place_systems(in_order, None, rules.places), strict=True)), None
    tests = compare_all(stacked)
    places = place_systems(in_order, tests, rules.places)
    holm = correct_by_holm(tests.p.tolist())
    figures = (tuple(table.tolist()) for table in (tests.d, tests.p, holm))
    return dict(zip(names, places, strict=True)), Differences(tuple(names), *figures)


def _find_best_baseline(column: _Column) -> str | None:
    """Return a column's best baseline by name, the first of equally good baselines."""
    baselines = [name for name, entry in column.entries.items() if entry.kind is Kind.BASELINE]
    return min(baselines, key=lambda name: (-column.cells[name].score, name), default=None)


def _compare_with_baselines(rules: Rules, column: _Column, best: str | None) -> dict[str, Cell]:
    """Return a column's cells; teams' cells have p-values against the baselines."""
    against_distance = _compare_teams(rules, column, DISTANCE)
    against_best = _compare_teams(rules, column, best)
    return {
        name: cell._replace(
            p_distance=against_distance.get(name), p_baseline=against_best.get(name)
        )
        for name, cell in column.cells.items()
    }


def _compare_teams(rules: Rules, column: _Column, baseline: str | None) -> dict[str, float]:
    """Return p of each team whose left-out values are known against a baseline; {} without one."""
    if baseline is None or baseline not in column.entries:
        return {}
    if column.entries[baseline].kind is not Kind.BASELINE:
        return {}
    names = [
        name
        for name, entry in column.entries.items()
        if entry.kind is Kind.TEAM and _stack(rules, column, [name, baseline])
    ]
    stacked = _stack(rules, column, [*names, baseline])
    if not names or stacked is None:
        return {}
    tests: Comparisons = compare_with_one(stacked.of(range(len(names))), stacked.of([len(names)]))
    return dict(zip(names, tests.p.tolist(), strict=True))
