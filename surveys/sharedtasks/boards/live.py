"""Boards that are not final: what the counted submissions of a phase show at the moment."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import BooleanField, ExpressionWrapper, Q, TextField, Value
from django.db.models.functions import Cast

from surveys.sharedtasks.boards.live_rows import LiveCells, LiveRanking
from surveys.sharedtasks.final_results.eligibility import LATE, ORGANISERS
from surveys.sharedtasks.models import (
    CountedSubmission,
    NameRule,
    Phase,
    PhaseData,
    SharedTask,
    Team,
    TeamKind,
    TeamState,
)
from surveys.sharedtasks.scoring.corrections import find_corrections, write_correction
from surveys.sharedtasks.scoring.tracks import find_tracks
from surveys.sharedtasks.scoring.visibility import is_gold_public, shows_code
from surveys.sharedtasks.uploads import list_parts

if TYPE_CHECKING:
    from postprocess.boards.board import Board, Cell, Row
    from postprocess.boards.entries import Rules


def make_live_board(phase: Phase, subtask: int) -> "Board":
    """Return the board of the submissions that count now, with ranks but without tests.

    Teams have the names of public pages. While the gold is hidden, nothing but scores with three
    decimals is computed from it.
    """
    from postprocess.boards.board import Board

    rules = _describe_rules(phase, subtask)
    return Board(rules, tuple(_list_rows(phase, subtask, rules)), {})


class CountedRow(NamedTuple):
    """What a board shows of a counted submission and its team; see their tables.

    To make objects of three tables, or instants, for each of 2,000 teams would take longer than all
    the rest. `scores`: as JSON.
    """

    kind: str
    name: str
    code: str
    hides_name: bool
    publishes_scores: bool
    system: str
    is_described: bool
    result: str
    is_late: bool
    n_attempts: int
    scores: str
    average: float | None
    average_low: float | None
    average_high: float | None


def name_on_boards(team: Team | CountedRow, shared_task: SharedTask) -> str:
    """Return the name of a row that is not final: of a baseline, a team, or a team's code."""
    is_hidden = team.kind != TeamKind.BASELINE and shows_code(
        shared_task,
        kind=team.kind,
        hides_name=team.hides_name,
        publishes_scores=team.publishes_scores,
    )
    return team.code if is_hidden else team.name


def hides_systems(shared_task: SharedTask) -> bool:
    """Return whether pages have nothing that teams wrote, which could name them."""
    return shared_task.names == NameRule.CODES and not shared_task.is_published


def _describe_rules(phase: Phase, subtask: int) -> "Rules":
    from postprocess.boards.entries import Rules
    from postprocess.scoring.ranking import Places

    shared_task = phase.shared_task
    is_practice = phase.data == PhaseData.PRACTICE
    sizes = {
        part.name: part.n_practice if is_practice else part.n_pairs for part in list_parts(phase)
    }
    best_of = shared_task.best_of
    return Rules(
        task=shared_task.title,
        phase=phase.name,
        track=find_tracks(shared_task)[subtask],
        sizes=dict(sorted(sizes.items())),
        best_of=best_of if best_of and best_of < len(sizes) else None,
        places=Places(shared_task.places),
        remarks=tuple(write_correction(correction) for correction in find_corrections(shared_task)),
    )


def _list_rows(phase: Phase, subtask: int, rules: "Rules") -> "Iterator[Row]":
    """Yield the rows of all teams that are accepted, with their places."""
    ranking, is_public = LiveRanking(rules), is_gold_public(phase)
    for counted in _list_counted(phase, subtask):
        average = counted.average, counted.average_low, counted.average_high
        cells = LiveCells(average, counted.scores, rules, is_gold_public=is_public)
        yield _make_row(counted, phase.shared_task, cells, ranking)


def _list_counted(phase: Phase, subtask: int) -> Iterator[CountedRow]:
    """Yield the counted submissions that have scores, of teams that are accepted."""
    counted = CountedSubmission.objects.filter(phase=phase, subtask=subtask).exclude(scores={})
    shown = counted.filter(team__state=TeamState.ACCEPTED).values_list(
        "team__kind", "team__name", "team__code", "team__hides_name",
        "team__publishes_scores", "team__system",
        ExpressionWrapper(Q(team__described_at__isnull=False), BooleanField()),
        "submission__code", _is_late(phase), "n_attempts", Cast("scores", TextField()), "average",
        "average_low", "average_high",
    )  # fmt: skip
    return map(CountedRow._make, shown)


def _is_late(phase: Phase) -> "Value | ExpressionWrapper[Q]":
    """Return the condition that a counted submission came after the end of its phase."""
    if phase.closes_at is None:
        return Value(False)
    return ExpressionWrapper(Q(submission__sent_at__gte=phase.closes_at), BooleanField())


def _make_row(
    counted: CountedRow, shared_task: SharedTask, cells: "Mapping[str, Cell]", ranking: LiveRanking
) -> "Row":
    from postprocess.boards.board import Row
    from postprocess.boards.entries import Kind

    name = name_on_boards(counted, shared_task)
    is_baseline = counted.kind == TeamKind.BASELINE
    is_described = counted.is_described and not hides_systems(shared_task)
    outside = "" if is_baseline else _find_reason(counted)
    is_ranked = not (is_baseline or outside)
    return Row(
        name,
        Kind.BASELINE if is_baseline else Kind.TEAM,
        system=counted.system if is_described else "",
        attempts=None if is_baseline else counted.n_attempts,
        result="" if is_baseline else counted.result,
        outside=outside,
        cells=cells,
        places=ranking.enter(name, counted.average, counted.scores) if is_ranked else {},
    )


def _find_reason(counted: CountedRow) -> str:
    """Return why a row cannot be ranked however the phase goes on, or an empty text."""
    if counted.kind == TeamKind.TRIAL:
        return ORGANISERS
    return LATE if counted.is_late else ""
