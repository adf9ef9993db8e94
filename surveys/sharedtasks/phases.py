"""The phases of a shared task: their times, limits, and who sees scores."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.db import transaction

from surveys.access.audit_log import record
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import (
    Phase,
    PhaseData,
    SharedTask,
    SharedTaskState,
    TaskPart,
    Visibility,
)
from surveys.sharedtasks.scoring.baselines import (
    cancel_baselines,
    move_baselines,
    request_baselines,
)
from surveys.sharedtasks.scoring.tracks import find_tracks
from surveys.sharedtasks.tasks import lock_task

ANYWHERE = "Etc/GMT+12"  # anywhere on earth: the sign of this name is turned round
NOT_REGIONS = ("Etc/", "posix/", "right/", "SystemV/", "US/")
RULES = (
    "name", "data", "subtasks", "opens_at", "closes_at", "attempts_total", "attempts_a_day",
    "visibility", "counting",
)  # fmt: skip
LOGGED = "%Y-%m-%d %H:%M:%S UTC"
CONFIRM = (
    "Teams could learn so much of the hidden scores from the scores that they see that it would "
    "move them by more than half of an interval. Confirm that this is intended, or hide the scores."
)


@dataclass(frozen=True)
class Probing:
    """What a team can gain in a phase by submissions that serve to learn the hidden scores.

    `n_seen`: the scores that it sees, of both subtasks and all phases that begin before this one is
    over, None for no limit; `blind`: the score to expect by them alone; `reached`, `most`: the
    score that a system reaches that scores .65, on average, and in 999 of 1,000 cases at most;
    `is_large`: whether it can gain more than half of its interval.
    """

    phase: Phase
    part: TaskPart
    n_seen: int | None
    blind: float
    reached: float
    most: float
    is_large: bool


@lru_cache(maxsize=1)
def list_zones() -> list[tuple[str, str]]:
    """Return the zones in which times may be entered, and their names: anywhere on earth first."""
    regions = (name for name in available_timezones() if "/" in name)
    names = sorted(name for name in regions if not name.startswith(NOT_REGIONS))
    return [
        (ANYWHERE, name_zone(ANYWHERE)),
        ("UTC", "UTC"),
        *((name, name_zone(name)) for name in names),
    ]


def name_zone(zone: str) -> str:
    """Return the name of a zone on pages.

    >>> name_zone("Etc/GMT+12"), name_zone("America/New_York")
    ('anywhere on earth (UTC−12)', 'America/New York')
    """
    return "anywhere on earth (UTC−12)" if zone == ANYWHERE else zone.replace("_", " ")


def read_local(local: datetime, zone: str) -> datetime:
    """Return the instant of a local time of a zone, in UTC.

    Raises SharedTaskRefused for a local time that the zone has twice or never, as in the hours in
    which summer time begins and ends.

    >>> read_local(datetime(2027, 1, 31, 23, 59, 59), "Etc/GMT+12").isoformat()
    '2027-02-01T11:59:59+00:00'
    """
    first, second = (local.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1))
    at = first.astimezone(UTC)
    if at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) != local:
        raise SharedTaskRefused(
            f"{local:%Y-%m-%d %H:%M} does not exist in {name_zone(zone)}: the clocks are put "
            "forward then. Choose an hour earlier or later."
        )
    if first.utcoffset() != second.utcoffset():
        raise SharedTaskRefused(
            f"{local:%Y-%m-%d %H:%M} comes twice in {name_zone(zone)}: the clocks are put back "
            "then. Choose an hour earlier or later."
        )
    return at


def write_local(at: datetime, zone: str) -> datetime:
    """Return the local time of an instant in a zone, without the zone.

    >>> write_local(datetime(2027, 2, 1, 11, 59, 59, tzinfo=UTC), "Etc/GMT+12").isoformat()
    '2027-01-31T23:59:59'
    """
    return at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


@transaction.atomic
def add_phase(
    shared_task: SharedTask,
    rules: Mapping[str, Any],
    *,
    now: datetime,
    accepts_probing: bool = False,
) -> Phase:
    """Add a phase, given its rules by name.

    Raises SharedTaskRefused for rules that are not possible, and, once the shared task is open, for
    a beginning in the past and, unless `accepts_probing`, for a large gain by probing.
    """
    shared_task = _lock_unfinished(shared_task)
    phase = Phase(shared_task=shared_task, **rules)
    _check(phase, now)
    if shared_task.state != SharedTaskState.DRAFT and not accepts_probing:
        refuse_probing(_expect_probing_in(phase))
    phase.save()
    if shared_task.state != SharedTaskState.DRAFT:
        request_baselines(phase)
    record("sharedtask.phase_added", shared_task, phase.name, **_log_rules(phase))
    return phase


@transaction.atomic
def change_phase(
    phase: Phase, rules: Mapping[str, Any], *, now: datetime, accepts_probing: bool = False
) -> Phase:
    """Change rules of a phase, given by name; of one that has begun, the end alone.

    What organisers have sent for other data is deleted. Raises SharedTaskRefused for rules that are
    no longer possible, for an end in the past and, once the shared task is open, for a gain by
    probing that becomes large, unless `accepts_probing`.
    """
    shared_task = _lock_unfinished(phase.shared_task)
    phase = Phase.objects.select_for_update(no_key=True).get(pk=phase.pk)
    before = _log_rules(phase)
    changed = {name for name, value in rules.items() if getattr(phase, name) != value}
    is_begun = shared_task.state != SharedTaskState.DRAFT and phase.has_begun(now)
    if is_begun and changed - {"closes_at"}:
        raise SharedTaskRefused(
            f"The phase {phase.name} has begun, so only its end can be changed."
        )
    end, was_large = phase.closes_at, any(gain.is_large for gain in _expect_probing_in(phase))
    for name in changed:
        setattr(phase, name, rules[name])
    if is_begun:
        _check_moved_end(phase, end, now)
    _check(phase, now, is_begun=is_begun)
    if not changed:
        return phase
    if shared_task.state != SharedTaskState.DRAFT and not (was_large or accepts_probing):
        refuse_probing(_expect_probing_in(phase))
    if "data" in changed:
        _delete_own(phase)
    if "closes_at" in changed and shared_task.state != SharedTaskState.DRAFT:
        phase.moved_at, phase.moved_from = now, end
    phase.save()
    if "opens_at" in changed:
        move_baselines(phase)
    after = _log_rules(phase)
    changes = {name: f"{before[name]} → {after[name]}" for name in RULES if name in changed}
    record("sharedtask.phase_changed", shared_task, phase.name, **changes)
    return phase


@transaction.atomic
def remove_phase(phase: Phase, *, now: datetime) -> None:
    """Remove a phase, with what organisers have sent in it.

    Raises SharedTaskRefused if it has begun in an open shared task.
    """
    shared_task = _lock_unfinished(phase.shared_task)
    if shared_task.state != SharedTaskState.DRAFT and phase.has_begun(now):
        raise SharedTaskRefused(f"The phase {phase.name} has begun and cannot be removed.")
    name = phase.name
    _delete_own(phase)
    cancel_baselines(phase)
    phase.delete()
    record("sharedtask.phase_removed", shared_task, name)


@transaction.atomic
def add_gwsc_phases(
    shared_task: SharedTask,
    *,
    practice_opens_at: datetime,
    opens_at: datetime,
    closes_at: datetime,
    now: datetime,
) -> list[Phase]:
    """Add the three phases of Graded Word Similarity in Context, SemEval-2020 Task 3.

    Practice has no limit and a public board; the evaluation has nine attempts; what is sent after
    it has 20 attempts a day and no end. Scores of both are hidden until the results are published.
    Raises SharedTaskRefused as `add_phase`.
    """
    both = {"subtasks": sorted(find_tracks(shared_task))}
    phases: list[dict[str, Any]] = [
        {"name": "practice", "data": PhaseData.PRACTICE, "opens_at": practice_opens_at,
         "closes_at": None, "visibility": Visibility.BOARD},
        {"name": "evaluation", "opens_at": opens_at, "closes_at": closes_at, "attempts_total": 9},
        {"name": "post-evaluation", "opens_at": closes_at, "attempts_a_day": 20},
    ]  # fmt: skip
    return [add_phase(shared_task, {**both, **rules}, now=now) for rules in phases]


def count_days(phase: Phase) -> int | None:
    """Return the number of days on which a phase runs, in the task's zone; None without an end."""
    if phase.closes_at is None:
        return None
    zone = phase.shared_task.zone
    last = write_local(phase.closes_at - timedelta(microseconds=1), zone).date()
    return (last - write_local(phase.opens_at, zone).date()).days + 1


def expect_probing(phases: Iterable[Phase]) -> list[Probing]:
    """Return what can be gained by probing in phases of a task that show scores of test data.

    Only for correlations; phases without any are not among them.
    """
    from postprocess.boards.advice import probing
    from postprocess.boards.advice.planning import TYPICAL

    shown = [
        phase
        for phase in phases
        if phase.data == PhaseData.TEST
        and phase.visibility != Visibility.HIDDEN
        and _list_correlations(phase)
    ]
    parts = list(shown[0].shared_task.parts.all()) if shown else []
    gains = []
    for phase in shown:
        end = phase.closes_at
        seen = [count_scores(earlier) for earlier in shown if end is None or earlier.opens_at < end]
        n_seen = None if None in seen else sum(filter(None, seen))
        for part in parts:
            n, size = part.n_pairs if n_seen is None else n_seen, part.n_pairs
            blind = probing.blind_score(n, size)
            reached = probing.probed_score(TYPICAL, n, size)
            most = probing.probed_at_most(TYPICAL, n, size)
            is_large = probing.is_probing_worthwhile(n, size)
            gains.append(Probing(phase, part, n_seen, blind, reached, most, is_large))
    return gains


def _expect_probing_in(phase: Phase) -> list[Probing]:
    """Return what probing can gain in a phase, given its shared task's stored phases."""
    others = phase.shared_task.phases.exclude(pk=phase.pk)
    return [gain for gain in expect_probing([*others, phase]) if gain.phase is phase]


def refuse_probing(expected: Iterable[Probing]) -> None:
    """Raise SharedTaskRefused with the figures of each language that has a large gain."""
    large = [
        f"{gain.phase.name}, {gain.part.name}: a blind guesser reaches {gain.blind:.2f}, and a "
        f"system that scores 0.65 reaches {gain.reached:.2f}, at most {gain.most:.2f}."
        for gain in expected
        if gain.is_large
    ]
    if large:
        raise SharedTaskRefused("\n".join([CONFIRM, *large]))


def count_scores(phase: Phase) -> int | None:
    """Return how many of a language's scores a team can see in a phase, or None for no limit."""
    limits = [] if phase.attempts_total is None else [phase.attempts_total]
    n_days = count_days(phase)
    if phase.attempts_a_day is not None and n_days is not None:
        limits.append(phase.attempts_a_day * n_days)
    return len(_list_correlations(phase)) * min(limits) if limits else None


def _list_correlations(phase: Phase) -> list[int]:
    """Return the subtasks whose metric is a correlation: of others no gain is known."""
    from postprocess.scoring.metrics import METRICS

    tracks = find_tracks(phase.shared_task)
    return [of for of in phase.subtasks if METRICS[tracks[of].metric].is_correlation]


def list_early_scores(phases: Iterable[Phase]) -> list[str]:
    """Return a sentence for each phase that shows scores while another phase hides them."""
    of_test = [phase for phase in phases if phase.data == PhaseData.TEST]
    return [
        f"The phase {shown.name} shows scores of the test data before {hidden.name} is over, "
        "which hides them. Let it begin later, or hide its scores."
        for hidden in of_test
        for shown in of_test
        if hidden.visibility == Visibility.HIDDEN
        and shown.visibility != Visibility.HIDDEN
        and (hidden.closes_at is None or shown.opens_at < hidden.closes_at)
    ]


def _delete_own(phase: Phase) -> None:
    """Delete what organisers have sent in a phase that has not begun."""
    files = [sent.file for sent in phase.submissions.all()]
    files += [sent.file for sent in phase.uploads.all()]
    stored = {str(file.name): file.storage for file in files}
    phase.submissions.all().delete()
    phase.uploads.all().delete()
    for name, storage in stored.items():
        transaction.on_commit(partial(storage.delete, name))


def _lock_unfinished(shared_task: SharedTask) -> SharedTask:
    shared_task = lock_task(shared_task)
    if shared_task.state not in (SharedTaskState.DRAFT, SharedTaskState.OPEN):
        raise SharedTaskRefused("The shared task is finalised: its phases stay as they are.")
    return shared_task


def _check(phase: Phase, now: datetime, *, is_begun: bool = False) -> None:
    """Raise SharedTaskRefused with all that is wrong with the rules of a phase."""
    problems = []
    try:
        phase.full_clean()
    except ValidationError as error:
        problems = [_explain(text) for text in error.messages]
    if not phase.subtasks or set(phase.subtasks) - find_tracks(phase.shared_task).keys():
        problems.append("Choose one or more of the subtasks.")
    is_open = phase.shared_task.state != SharedTaskState.DRAFT
    if is_open and not is_begun and phase.opens_at <= now:
        problems.append("The phase would begin in the past. Choose a later beginning.")
    if problems:
        raise SharedTaskRefused("\n".join(dict.fromkeys(problems)))


def _explain(text: str) -> str:
    """Return a message for the name of a constraint that Django reports, or the text itself."""
    messages = {
        "phases_end_after_they_begin": "The end must be later than the beginning.",
        "the_best_counts_where_it_is_seen": "Where scores are hidden, the submission that a team "
        "chooses counts: which one is best would tell its score.",
        "attempts_are_plausible": "More than 10,000 attempts are surely a typing error.",
        "phase_once": "There is a phase of this name already.",
    }
    if "already exists" in text:
        return messages["phase_once"]
    return next((words for name, words in messages.items() if name in text), text)


def _check_moved_end(phase: Phase, end: datetime | None, now: datetime) -> None:
    """Raise SharedTaskRefused for an end that comes too late, or of a phase that has to stay over.

    A phase that is over may go on as long as no later phase has shown scores of the test data.
    """
    if phase.has_ended(now):
        raise SharedTaskRefused("The new end is in the past. Choose a later one.")
    if end is None or end > now:
        return
    others = Phase.objects.filter(shared_task=phase.shared_task_id, opens_at__lte=now)
    shown = others.exclude(pk=phase.pk).exclude(visibility=Visibility.HIDDEN)
    if phase.data == PhaseData.TEST and shown.filter(data=PhaseData.TEST).exists():
        raise SharedTaskRefused(
            f"The phase {phase.name} is over, and a later one shows scores of the same data. "
            "Give teams attempts in the later phase instead."
        )


def _log_rules(phase: Phase) -> dict[str, Any]:
    def write(value: Any) -> Any:
        if isinstance(value, datetime):
            return value.astimezone(UTC).strftime(LOGGED)
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return {name: write(getattr(phase, name)) for name in RULES}
