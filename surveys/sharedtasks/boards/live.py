"""Boards that are not final: what the counted submissions of a phase show at the moment."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from surveys.models.sharedtasks import (
    CountedSubmission,
    NameRule,
    Phase,
    PhaseData,
    SharedTask,
    Team,
    TeamKind,
    TeamState,
)
from surveys.sharedtasks.finishing.unranked import LATE, ORGANISERS
from surveys.sharedtasks.scoring.corrections import find_corrections, write_correction
from surveys.sharedtasks.uploads import list_parts
from surveys.sharedtasks.visibility import OF_CORRELATIONS, is_gold_public, shows_code

if TYPE_CHECKING:
    from postprocess.boards.board import Board, Cell, Place, Row
    from postprocess.boards.entries import Rules


def make_live_board(phase: Phase, subtask: int) -> "Board":
    """Return the board of the submissions that count now, with ranks but without tests.

    Teams have the names of public pages. While the gold is hidden there are no correlations, and
    pages and files show three decimals of what else the board has.
    """
    from postprocess.boards.board import Board

    rules = _describe_rules(phase, subtask)
    return Board(rules, tuple(_list_rows(phase, subtask, rules)), {})


class CountedRow(NamedTuple):
    """What a board shows of a counted submission and its team; see their tables.

    To make objects of three tables for each of 2,000 teams would take longer than all the rest.
    """

    kind: str
    name: str
    code: str
    hides_name: bool
    system: str
    described_at: datetime | None
    result: str
    sent_at: datetime
    n_attempts: int
    scores: dict[str, dict[str, Any]]
    average: float | None
    average_low: float | None
    average_high: float | None


def name_on_boards(team: Team | CountedRow, shared_task: SharedTask) -> str:
    """Return the name of a row that is not final: of a baseline, a team, or a team's code."""
    is_hidden = team.kind != TeamKind.BASELINE and shows_code(
        shared_task, hides_name=team.hides_name
    )
    return team.code if is_hidden else team.name


def hides_systems(shared_task: SharedTask) -> bool:
    """Return whether pages have nothing that teams wrote, which could name them."""
    return shared_task.names == NameRule.CODES and not shared_task.is_published


def make_cells(
    scores: Mapping[str, Mapping[str, Any]],
    average: tuple[float | None, ...],
    *,
    has_correlations: bool = True,
) -> "dict[str, Cell]":
    """Return cells from figures by language, and an average with the ends of its interval."""
    from postprocess.boards.board import Cell
    from postprocess.boards.entries import AVERAGE

    score, low, high = average
    cells = {} if score is None else {AVERAGE: Cell(score, low, high)}
    for language, one in scores.items():
        p, rho = map(one.get, OF_CORRELATIONS) if has_correlations else (None, None)
        figures = one["score"], one["low"], one["high"], one["n"]
        cells[language] = Cell(*figures, p, rho, one["reason"] or None)
    return cells


def _describe_rules(phase: Phase, subtask: int) -> "Rules":
    from postprocess.boards.entries import Rules
    from postprocess.scoring.figures import Subtask

    shared_task = phase.shared_task
    is_practice = phase.data == PhaseData.PRACTICE
    sizes = {
        part.language: part.n_practice if is_practice else part.n_pairs
        for part in list_parts(phase)
    }
    best_of = shared_task.best_of
    return Rules(
        task=shared_task.title,
        phase=phase.name,
        subtask=Subtask(str(subtask)),
        sizes=dict(sorted(sizes.items())),
        best_of=best_of if best_of and best_of < len(sizes) else None,
        remarks=tuple(write_correction(one) for one in find_corrections(shared_task)),
    )


def _list_rows(phase: Phase, subtask: int, rules: "Rules") -> "Iterable[Row]":
    """Return the rows of all teams that are accepted, with their places."""
    is_public = is_gold_public(phase)
    rows = [
        _make_row(counted, phase, rules, has_correlations=is_public)
        for counted in _list_counted(phase, subtask)
    ]
    places = _place(rows, rules)
    return [replace(row, places=places.get(row.name, {})) for row in rows]


def _list_counted(phase: Phase, subtask: int) -> Iterator[CountedRow]:
    """Yield the counted submissions that have scores, of teams that are accepted."""
    found = CountedSubmission.objects.filter(phase=phase, subtask=subtask).exclude(scores={})
    shown = found.filter(team__state=TeamState.ACCEPTED).values_list(
        "team__kind", "team__name", "team__code", "team__hides_name", "team__system",
        "team__described_at", "submission__code", "submission__sent_at", "n_attempts", "scores",
        "average", "average_low", "average_high",
    )  # fmt: skip
    return map(CountedRow._make, shown)


def _make_row(
    counted: CountedRow, phase: Phase, rules: "Rules", *, has_correlations: bool
) -> "Row":
    from postprocess.boards.board import Row
    from postprocess.boards.entries import Kind

    shared_task = phase.shared_task
    is_baseline = counted.kind == TeamKind.BASELINE
    is_described = counted.described_at is not None and not hides_systems(shared_task)
    average = counted.average, counted.average_low, counted.average_high
    scores = {name: one for name, one in counted.scores.items() if name in rules.sizes}
    return Row(
        name_on_boards(counted, shared_task),
        Kind.BASELINE if is_baseline else Kind.TEAM,
        system=counted.system if is_described else "",
        attempts=None if is_baseline else counted.n_attempts,
        result="" if is_baseline else counted.result,
        outside="" if is_baseline else _find_reason(counted, phase),
        cells=make_cells(scores, average, has_correlations=has_correlations),
    )


def _find_reason(counted: CountedRow, phase: Phase) -> str:
    """Return why a row cannot be ranked however the phase goes on, or an empty text."""
    if counted.kind == TeamKind.TRIAL:
        return ORGANISERS
    return LATE if phase.has_ended(counted.sent_at) else ""


def _place(rows: "list[Row]", rules: "Rules") -> "dict[str, dict[str, Place]]":
    """Return the places of ranked rows by name and column."""
    import numpy as np

    from postprocess.boards.comparing import place_systems
    from postprocess.boards.entries import AVERAGE

    ranked = [row for row in rows if not row.is_reference and not row.outside]
    places: dict[str, dict[str, Place]] = {row.name: {} for row in ranked}
    for column in (AVERAGE, *rules.languages):
        scores = {row.name: row.cells[column].score for row in ranked if column in row.cells}
        names = sorted(scores, key=scores.__getitem__, reverse=True)
        placed = place_systems(np.array([scores[name] for name in names]))
        for name, place in zip(names, placed, strict=True):
            places[name][column] = place
    return places
