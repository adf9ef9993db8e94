"""A page of the rows of a board, as text and as places on a scale."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from surveys.sharedtasks.boards.live import name_on_boards
from surveys.sharedtasks.boards.visible import VisibleBoard
from surveys.sharedtasks.scoring.visibility import Viewer, is_gold_public
from surveys.study.languages import name_language

if TYPE_CHECKING:
    from postprocess.boards.board import Board, Cell, Place, Row
    from surveys.sharedtasks.boards.results import Result, SubtaskResult

HUNDRED, DECIMALS = 100, 3
ONLY_SCORES = (
    "This board is not final. It ranks by the scores alone; whether differences are more than "
    "chance is tested when it is final."
)
EXPECTED = (
    "The 95 % intervals follow from the score and the number of pairs alone. The predictions' own "
    "intervals, from which the gold could be computed, are published with the gold."
)


@dataclass(frozen=True)
class Bar:
    """An interval and its score, drawn in per cent of the width."""

    left: float
    width: float
    at: float


@dataclass(frozen=True)
class ShownCell:
    """A cell as text. `bar`: its interval, drawn in the column that ranks.

    `equals`: the baseline that has a team's score as shown, or "".
    """

    column: str
    score: str
    ends: str = ""
    is_zero_for: str = ""
    bar: Bar | None = None
    equals: str = ""


@dataclass(frozen=True)
class ShownRow:
    """A row of the table; see `Row` of the library."""

    name: str
    system: str
    kind: str
    is_reference: bool
    rank: str
    rank_range: str
    group: str
    attempts: int | None
    result: str
    outside: str
    begins_group: bool
    cells: list[ShownCell]
    p_distance: float | None = None
    p_baseline: float | None = None


@dataclass(frozen=True)
class Table:
    """The rows of a board, ranked by a column, as a page shows them."""

    column: str
    columns: tuple[str, ...]
    is_tested: bool
    has_p: bool
    has_attempts: bool
    n_ranked: int
    title: str
    sizes: list[tuple[str, int]]
    lowest: float | None  # None where no bar is drawn
    notes: list[str]


def find_viewers_name(visible: VisibleBoard, viewer: Viewer) -> str:
    """Return the name of the row of a viewer's own team, or an empty text."""
    return name_on_boards(viewer.team, visible.phase.shared_task) if viewer.team else ""


def choose_column(board: "Board", column: str | None) -> str:
    """Return the column that ranks: the wanted one, or the first."""
    return column if column in board.columns else board.columns[0]


def describe_table(visible: VisibleBoard, column: str, shown: Sequence[ShownRow]) -> Table:
    """Return the headings of a table, and the sentences below it, which explain the rows shown."""
    from postprocess.boards.shown import describe_board, explain_column, list_notes

    board = visible.board
    is_tested = column in board.differences
    cells = [row.cells[column] for row in board.rows if column in row.cells]
    names = name_languages(board.rules.languages)
    names_shown = {row.name for row in shown}
    on_page = tuple(row for row in board.rows if row.name in names_shown)
    of_column = explain_column(board, column, names) if visible.is_final else [ONLY_SCORES]
    of_column += [EXPECTED] if not (visible.is_final or visible.is_gold_public) else []
    return Table(
        column,
        board.columns,
        is_tested,
        any(cell.p_distance is not None for cell in cells),
        any(row.attempts is not None for row in board.rows),
        sum(column in row.places for row in board.rows),
        describe_board(board),
        list(board.rules.sizes.items()),
        _find_lowest(board, column) if [*_list_lows(board, column)] else None,
        [*of_column, *list_notes(replace(board, rows=on_page), names), *_list_equal(shown, names)],
    )


def _list_equal(shown: Sequence[ShownRow], names: dict[str, str]) -> Iterator[str]:
    """Yield sentences about the cells of teams that equal a baseline."""
    from postprocess.boards.published import describe_equal

    cells = [(row.name, cell.column, cell.equals) for row in shown for cell in row.cells]
    for sentence in describe_equal((cell for cell in cells if cell[2]), names.__getitem__):
        yield f"{sentence} as shown. Copied predictions count in no average."


def show_score(score: float | None, *, is_percent: bool) -> str:
    """Return a score with three decimals, or in per cent with one."""
    from postprocess.boards.shown import write_score

    return write_score(score, is_percent=is_percent)


def name_languages(tags: Iterable[str]) -> dict[str, str]:
    """Return the names of languages by their tags."""
    return {tag: name_language(tag) or tag for tag in tags}


class Lines(Sequence["ShownRow"]):
    """A table's rows in order, written only when a page asks for them."""

    def __init__(self, visible: VisibleBoard, column: str) -> None:
        from postprocess.boards.published import index_baselines
        from postprocess.boards.shown import list_lines

        self._board, self._column = visible.board, column
        self._lines = list_lines(visible.board, column)
        self._lowest = _find_lowest(visible.board, column)
        self._baselines = index_baselines(visible.board)

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        """Return a row, or a slice's rows."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        line = self._lines[index]
        return show_row(
            self._board, self._column, line.row, self._lowest, self._baselines,
            begins_group=line.begins_group,
        )  # fmt: skip


def list_outside_rows(visible: VisibleBoard, column: str) -> list[ShownRow]:
    """Return the rows outside the ranking."""
    from postprocess.boards.published import index_baselines
    from postprocess.boards.shown import list_outside

    lowest, baselines = _find_lowest(visible.board, column), index_baselines(visible.board)
    return [show_row(visible.board, column, row, lowest, baselines)
            for row in list_outside(visible.board, column)]  # fmt: skip


def show_row(
    board: "Board",
    column: str,
    row: "Row",
    lowest: float,
    baselines: Mapping[tuple[str, Decimal], str],
    *,
    begins_group: bool = False,
) -> ShownRow:
    """Return a row as the page shows it. `lowest`: the left end of the scale of intervals.

    `baselines`: what `index_baselines` returns.
    """
    from postprocess.boards.shown import write_rank, write_rank_range

    place: Place | None = row.places.get(column)
    cell = row.cells.get(column)
    return ShownRow(
        row.name,
        row.system,
        row.kind.value,
        row.is_reference,
        "" if row.is_reference else write_rank(place),
        "" if place is None or place.best is None else write_rank_range(place),
        "" if place is None or place.group is None else str(place.group),
        row.attempts,
        row.result,
        row.outside,
        begins_group,
        [
            _show_cell(board, row, name, lowest if name == column else None, baselines)
            for name in board.columns
        ],
        cell.p_distance if cell else None,
        cell.p_baseline if cell else None,
    )


def _show_cell(
    board: "Board",
    row: "Row",
    column: str,
    lowest: float | None,
    baselines: Mapping[tuple[str, Decimal], str],
) -> ShownCell:
    from postprocess.boards.shown import write_ends, write_score
    from postprocess.scoring.ranking import round_score

    cell = row.cells.get(column)
    if cell is None:
        return ShownCell(column, write_score(None))
    is_percent = board.rules.track.is_percent
    ends = "" if cell.low is None else write_ends(cell, is_percent=is_percent)
    bar = None if lowest is None else draw_interval(cell, lowest)
    equals = "" if row.is_reference else baselines.get((column, round_score(cell.score)), "")
    score = write_score(cell.score, is_percent=is_percent)
    return ShownCell(column, score, ends, cell.reason or "", bar, equals)


@dataclass(frozen=True)
class ShownFigure:
    """A figure of a result, in a column."""

    cell: ShownCell
    rank: str
    rank_range: str
    group: str
    pearson: float | None
    spearman: float | None
    n: int | None
    file_sha256: str


@dataclass(frozen=True)
class ShownResult:
    """The figures of a result for a subtask, and what the table has."""

    result: "SubtaskResult"
    figures: list[ShownFigure]

    @property
    def has_places(self) -> bool:
        """Whether it is ranked."""
        return bool(self.result.places)

    @property
    def is_tested(self) -> bool:
        """Whether a column has tests, and so rank ranges and groups."""
        return any(figure.group for figure in self.figures)

    @property
    def has_correlations(self) -> bool:
        """Whether a column has the correlations that a score is made of."""
        return any(figure.pearson is not None for figure in self.figures)


def show_result(result: "SubtaskResult") -> ShownResult:
    """Return the figures of a result as its page shows them."""
    lows = (max(-0.9, cell.low) for cell in result.cells.values() if cell.low)
    lowest = round(min([0.0, *lows]), DECIMALS)
    return ShownResult(result, [_show_figure(result, cell, lowest) for cell in result.cells])


def has_expected_intervals(result: "Result") -> bool:
    """Whether the intervals of a result are those to expect, since its gold is not public."""
    boards = [item.board for item in result.subtasks if item.board]
    return not (is_gold_public(result.submission.phase) or any(item.is_final for item in boards))


def explain_intervals(result: "Result") -> list[str]:
    """Return the sentences that a reader of a result needs: what its intervals mean."""
    from postprocess.boards.shown import explain_few_pairs

    rules = [part.board.board.rules for part in result.subtasks if part.board]
    few = explain_few_pairs(rules[0], name_languages(rules[0].languages)) if rules else []
    return [EXPECTED, *few] if has_expected_intervals(result) else few


def _show_figure(result: "SubtaskResult", column: str, lowest: float) -> ShownFigure:
    from postprocess.boards.shown import write_ends, write_rank, write_rank_range, write_score

    cell, place = result.cells[column], result.places.get(column)
    is_percent = result.track.is_percent
    ends = "" if cell.low is None else write_ends(cell, is_percent=is_percent)
    score = write_score(cell.score, is_percent=is_percent)
    bar = draw_interval(cell, lowest)
    return ShownFigure(
        ShownCell(column, score, ends, cell.reason or "", bar),
        write_rank(place),
        "" if place is None or place.best is None else write_rank_range(place),
        "" if place is None or place.group is None else str(place.group),
        cell.pearson,
        cell.spearman,
        cell.n,
        result.file_sha256.get(column, ""),
    )


def draw_interval(cell: "Cell", lowest: float) -> Bar | None:
    """Return an interval on a scale from a lowest score to 1; None for a cell without one."""
    if cell.low is None or cell.high is None:
        return None
    left, right, at = (  # of rounded figures, so that no more of them can be measured
        round(HUNDRED * min(1.0, max(0.0, (round(value, DECIMALS) - lowest) / (1 - lowest))), 1)
        for value in (cell.low, cell.high, cell.score)
    )
    return Bar(left, max(1.0, round(right - left, 1)), at)


def _find_lowest(board: "Board", column: str) -> float:
    """Return the left end of a column's scale: 0, or what the lowest interval needs."""
    return round(min([0.0, *_list_lows(board, column)]), DECIMALS)


def _list_lows(board: "Board", column: str) -> Iterator[float]:
    for row in board.rows:
        cell = row.cells.get(column)
        if cell and cell.low is not None:
            yield max(-0.9, cell.low)
