"""Boards that are not final: what the counted submissions of a phase show at the moment."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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

OF_CELLS = ("score", "low", "high", "n", "pearson", "spearman")


def make_live_board(phase: Phase, subtask: int) -> "Board":
    """Return the board of the submissions that count now, with ranks but without tests.

    Teams have the names of public pages. While the gold is hidden there are no correlations, and
    pages and files show three decimals of what else the board has.
    """
    from postprocess.boards.board import Board

    rules = _describe_rules(phase, subtask)
    return Board(rules, tuple(_list_rows(phase, subtask, rules)), {})


def name_on_boards(team: Team, shared_task: SharedTask) -> str:
    """Return the name of a row that is not final: of a baseline, a team, or a team's code."""
    is_hidden = team.kind != TeamKind.BASELINE and shows_code(team, shared_task)
    return team.code if is_hidden else team.name


def hides_systems(shared_task: SharedTask) -> bool:
    """Return whether pages have nothing that teams wrote, which could name them."""
    return shared_task.names == NameRule.CODES and not shared_task.is_published


def make_cells(
    scores: Mapping[str, Mapping[str, Any]], average: tuple[float | None, ...]
) -> "dict[str, Cell]":
    """Return cells from figures by language, and an average with the ends of its interval."""
    from postprocess.boards.board import Cell
    from postprocess.boards.entries import AVERAGE

    score, low, high = average
    cells = {} if score is None else {AVERAGE: Cell(score, low, high)}
    for language, figures in scores.items():
        known: dict[str, Any] = {name: figures.get(name) for name in OF_CELLS}
        cells[language] = Cell(**known, reason=figures.get("reason") or None)
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
    found = CountedSubmission.objects.filter(phase=phase, subtask=subtask).exclude(scores={})
    shown = found.filter(team__state=TeamState.ACCEPTED).select_related("team", "submission")
    rows = [
        _make_row(counted, phase, rules)
        for counted in shown.defer("submission__contents", "submission__warnings", "team__summary")
    ]
    places = _place(rows, rules)
    return [replace(row, places=places.get(row.name, {})) for row in rows]


def _make_row(counted: CountedSubmission, phase: Phase, rules: "Rules") -> "Row":
    from postprocess.boards.board import Row
    from postprocess.boards.entries import Kind

    team, shared_task = counted.team, phase.shared_task
    is_baseline = team.kind == TeamKind.BASELINE
    average = counted.average, counted.average_low, counted.average_high
    hidden = () if is_gold_public(phase) else OF_CORRELATIONS
    scores = {
        language: {name: figure for name, figure in figures.items() if name not in hidden}
        for language, figures in counted.scores.items()
        if language in rules.sizes
    }
    return Row(
        name_on_boards(team, shared_task),
        Kind.BASELINE if is_baseline else Kind.TEAM,
        system=team.system if team.described_at and not hides_systems(shared_task) else "",
        attempts=None if is_baseline else counted.n_attempts,
        result="" if is_baseline else counted.submission.code,
        outside="" if is_baseline else _find_reason(counted, phase),
        cells=make_cells(scores, average),
    )


def _find_reason(counted: CountedSubmission, phase: Phase) -> str:
    """Return why a row cannot be ranked however the phase goes on, or an empty text."""
    if counted.team.kind == TeamKind.TRIAL:
        return ORGANISERS
    return LATE if phase.has_ended(counted.submission.sent_at) else ""


def _place(rows: "list[Row]", rules: "Rules") -> "dict[str, dict[str, Place]]":
    """Return the places of ranked rows by name and column."""
    import numpy as np

    from postprocess.boards.comparing import place_systems
    from postprocess.boards.entries import AVERAGE
    from postprocess.scoring.ranking import round_score

    places: dict[str, dict[str, Place]] = {}
    for column in (AVERAGE, *rules.languages):
        scores = {
            row.name: row.cells[column].score
            for row in rows
            if column in row.cells and not row.is_reference and not row.outside
        }
        names = sorted(scores, key=lambda name: (-round_score(scores[name]), name))
        placed = place_systems(np.array([scores[name] for name in names]))
        for name, place in zip(names, placed, strict=True):
            places.setdefault(name, {})[column] = place
    return places
