"""How a board is shown, on pages and in files: order of rows, cells as text, and notes."""

from collections.abc import Mapping
from typing import NamedTuple

from postprocess.boards.advice.planning import TYPICAL, expect_interval
from postprocess.boards.board import Board, Cell, Place, Row
from postprocess.boards.entries import AVERAGE, Kind, Rules
from postprocess.reporting.phrases import NONE, write_count, write_figure, write_list
from postprocess.scoring.metrics import METRICS, Metric
from postprocess.scoring.ranking import round_score

FEW_PAIRS = 50  # below this number a note says what the intervals mean
ZERO = (
    "A score is 0 if the predictions are constant, or if a correlation of subtask 2 is not "
    "positive."
)
NO_TESTS = (
    "Of some results only the scores are known, so that this column has no tests, rank ranges or "
    "groups, and those results no intervals: the order of systems may be due to chance."
)


class Line(NamedTuple):
    """A row in the order of a column; `begins_group`: whether a rule is drawn above it."""

    row: Row
    cell: Cell | None
    place: Place | None
    begins_group: bool


def list_lines(board: Board, column: str | None = None) -> list[Line]:
    """Return the rows in the order of a column: ranked teams, and references where they fall.

    Teams with a score come by rank, references after the teams of the same score, and all rows
    without a score at the end, by name. Teams outside the ranking are not among them. By default
    the column is the first.
    """
    column = column or board.columns[0]
    rows = [row for row in board.rows if not row.outside]
    rows.sort(key=lambda row: _sort_key(row, column))
    lines, group = [], 1
    for row in rows:
        place = row.places.get(column)
        begins_group = bool(place and place.group and place.group > group)
        if begins_group and place and place.group:
            group = place.group
        lines.append(Line(row, row.cells.get(column), place, begins_group))
    return lines


def list_outside(board: Board, column: str | None = None) -> list[Row]:
    """Return the teams outside the ranking, by their scores in a column."""
    column = column or board.columns[0]
    rows = [row for row in board.rows if row.outside]
    return sorted(rows, key=lambda row: _sort_key(row, column))


def write_rank(place: Place | None) -> str:
    """Return a rank, marked if it is shared.

    >>> write_rank(Place(4, True)), write_rank(Place(6, False)), write_rank(None)
    ('4=', '6', '–')
    """
    return f"{place.rank}{'=' if place.is_shared else ''}" if place else NONE


def write_rank_range(place: Place | None) -> str:
    """Return a rank range.

    >>> write_rank_range(Place(2, False, 2, 4)), write_rank_range(Place(1, False, 1, 1))
    ('2–4', '1')
    """
    if place is None or place.best is None or place.worst is None:
        return NONE
    return str(place.best) if place.best == place.worst else f"{place.best}–{place.worst}"


def write_score(score: float | None, *, is_percent: bool = False) -> str:
    """Return a score with three decimals, or in per cent with one; halves away from zero.

    >>> write_score(0.6125), write_score(-0.0712), write_score(-0.0001), write_score(None)
    ('0.613', '−0.071', '0.000', '–')
    >>> write_score(0.6125, is_percent=True)
    '61.3'
    """
    if score is None:
        return NONE
    shown = round_score(score) + 0
    return (f"{shown * 100:.1f}" if is_percent else str(shown)).replace("-", "−")


def write_ends(cell: Cell | None, *, is_percent: bool = False) -> str:
    """Return the interval of a cell.

    >>> write_ends(Cell(0.671, 0.41985, 0.826977)), write_ends(Cell(0.12, -0.0636, 0.3))
    ('0.420–0.827', '−0.064 to 0.300')
    """
    if cell is None or cell.low is None or cell.high is None:
        return NONE
    ends = [write_score(end, is_percent=is_percent) for end in (cell.low, cell.high)]
    return (" to " if "−" in "".join(ends) else "–").join(ends)


def describe_board(board: Board) -> str:
    """Return what the board is about, as a title."""
    rules = board.rules
    return f"{rules.task}: {rules.phase}, subtask {rules.track.number}"


def list_notes(board: Board, names: Mapping[str, str] | None = None) -> list[str]:
    """Return the sentences that a reader of any column needs.

    `names`: names of languages by code; without them languages have their codes.
    """
    notes = [*board.rules.remarks, _explain_average(board), *explain_few_pairs(board.rules, names)]
    kinds = {row.kind for row in board.rows}
    if any(row.is_reference for row in board.rows):
        notes.append("Rows in italics are references, which have no rank.")
    notes += [text for kind, text in OF_REFERENCES.items() if kind in kinds]
    track = board.rules.track
    is_zero = any(cell.reason for row in board.rows for cell in row.cells.values())
    if is_zero or track.metric is Metric.SPEARMAN:
        notes.append(ZERO if track.is_of_contexts else METRICS[track.metric].undefined)
    if track.is_percent:
        notes.append("Scores are in per cent.")
    return [note for note in notes if note]


def explain_column(
    board: Board, column: str | None = None, names: Mapping[str, str] | None = None
) -> list[str]:
    """Return the sentences about the tests of a column, or why it has none.

    `names`: see `list_notes`.
    """
    column = column or board.columns[0]
    n_ranked = sum(column in row.places for row in board.rows)
    if n_ranked < 2:
        return []
    if column not in board.differences:
        return [NO_TESTS]
    cells = [row.cells[column] for row in board.rows if column in row.cells]
    is_compared = any(cell.p_baseline is not None for cell in cells)
    best = board.best_baseline.get(column)
    against = [f"The p against baselines (best: {best}) are not corrected."] if is_compared else []
    return [_explain_tests(board, column, names or {}), *against]


OF_REFERENCES = {
    Kind.HUMAN: (
        "Human: the mean over people of Spearman’s ρ between a person’s ratings and the others’ "
        "mean. It is not the harmonic mean that systems are scored by."
    ),
    Kind.CEILING: (
        "Score ceiling: the expected score of a system that knew the true changes, since the "
        "published changes are means of few ratings; √R, where R is the changes’ reliability."
    ),
    Kind.SECOND_CROWD: (
        "A second crowd: the expected score of the changes found by as many other people; R."
    ),
    Kind.NO_CONTEXT: (
        "Best without context: the score of a system that knows the mean score of each pair and "
        "predicts it for both contexts."
    ),
}


def _sort_key(row: Row, column: str) -> tuple[bool, float, bool, str]:
    cell = row.cells.get(column)
    shown = -float(round_score(cell.score)) if cell else 0.0
    return cell is None, shown, row.is_reference, row.name


def _explain_average(board: Board) -> str:
    rules = board.rules
    if AVERAGE not in board.columns:
        return ""
    if rules.best_of is None or rules.best_of == len(rules.sizes):
        return (
            "The average is over all languages. A row that lacks a language has no average; "
            "nothing is filled in."
        )
    return (
        f"The average is over the {rules.best_of} best languages of each row. A row with scores in "
        "fewer has no average. The interval takes the choice of the languages as given."
    )


def _explain_tests(board: Board, column: str, names: Mapping[str, str]) -> str:
    n = len(board.differences[column].p)
    where = "averages" if column == AVERAGE else f"scores of {names.get(column, column)}"
    return (
        f"{write_count(n, 'difference')} between the {where} of ranked systems "
        f"{'was' if n == 1 else 'were'} tested, with Holm’s correction, at 5 %. A line separates "
        "groups: across it the order is proven, within a group it is not. A rank range has all "
        "ranks that the tests leave open."
    )


def explain_few_pairs(rules: Rules, names: Mapping[str, str] | None = None) -> list[str]:
    """Return sentences about what intervals mean in languages with few pairs.

    `names`: see `list_notes`.
    """
    if not METRICS[rules.track.metric].is_correlation:
        return []
    notes = []
    sizes, names = rules.sizes, names or {}
    for n in sorted({size for size in sizes.values() if 0 < size < FEW_PAIRS}):
        languages = [names.get(language, language) for language, size in sizes.items() if size == n]
        low, high = (write_figure(end) for end in expect_interval(TYPICAL, n))
        notes.append(
            f"{write_list(languages)}: {write_count(n, 'pair')} are few. Other pairs of the same "
            f"kind could give a score of {write_figure(TYPICAL)} anything from {low} to {high}, so "
            "most differences cannot be proven."
        )
    return notes
