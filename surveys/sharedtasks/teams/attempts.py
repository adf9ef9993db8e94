"""Attempts: who may submit when, and how often."""

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from surveys.sharedtasks.errors import SubmissionRefused, TooLate
from surveys.sharedtasks.models import (
    Allowance,
    FrozenBoard,
    Phase,
    SharedTask,
    SharedTaskState,
    Submission,
    Team,
    TeamKind,
    TeamState,
)

NOT_ACCEPTED = {
    TeamState.PENDING: "The organisers have not accepted your team yet.",
    TeamState.EXCLUDED: "The organisers have excluded your team{}.",
    TeamState.WITHDRAWN: "Your team has withdrawn.",
    TeamState.MERGED: "Your team was merged into another team.",
}


class Attempts(NamedTuple):
    """The attempts of a team in a phase, in all and on a day of the task's zone.

    Limits include the team's allowance; None means unlimited. Only attempts beyond the daily limit
    use up the allowance of a day.
    """

    n_used: int
    limit: int | None
    n_used_today: int
    limit_today: int | None

    @property
    def n_left(self) -> int | None:
        """The number of attempts that are left now; None if unlimited."""
        left = [
            max(0, limit - used)
            for used, limit in ((self.n_used, self.limit), (self.n_used_today, self.limit_today))
            if limit is not None
        ]
        return min(left, default=None)

    @property
    def is_used_up(self) -> bool:
        """Whether no attempt is left."""
        return self.n_left == 0

    @property
    def is_used_up_today(self) -> bool:
        """Whether the day's attempts are used up while others remain."""
        is_day_over = self.limit_today is not None and self.n_used_today >= self.limit_today
        return is_day_over and (self.limit is None or self.n_used < self.limit)


def count_attempts(team: Team, phase: Phase, now: datetime) -> Attempts:
    """Count the attempts of a team in a phase. Teams of organisers have no limits."""
    sent = Submission.objects.filter(team=team, phase=phase).attempts()
    return weigh_sent(team, phase, sent.values_list("sent_at", flat=True), now)


def weigh_sent(team: Team, phase: Phase, instants: Iterable[datetime], now: datetime) -> Attempts:
    """Return the attempts of a team in a phase, which it sent at given instants."""
    allowance = Allowance.objects.filter(team=team, phase=phase).first()
    n_more = allowance.n_attempts if allowance else 0
    return weigh_attempts(phase, instants, now, n_more=n_more, is_limited=is_limited(team))


def weigh_attempts(
    phase: Phase, instants: Iterable[datetime], now: datetime, *, n_more: int, is_limited: bool
) -> Attempts:
    """Return attempts at given instants against a phase's limits plus `n_more` attempts."""
    today = day_of(now, phase)
    by_day = Counter(day_of(instant, phase) for instant in instants)
    n_used, n_today = by_day.total(), by_day[today]
    total, daily = phase.attempts_total, phase.attempts_a_day
    if not is_limited:
        return Attempts(n_used, None, n_today, None)
    limit_today = None
    if daily is not None:
        n_spent = sum(max(0, n - daily) for day, n in by_day.items() if day != today)
        limit_today = daily + max(0, n_more - n_spent)
    limit = None if total is None else total + n_more
    return Attempts(n_used, limit, n_today, limit_today)


def is_limited(team: Team) -> bool:
    """Return whether the limits of phases apply to a team."""
    return team.kind == TeamKind.TEAM


def day_of(instant: datetime, phase: Phase) -> date:
    """Return the day of an instant in the zone of the shared task."""
    return instant.astimezone(ZoneInfo(phase.shared_task.zone)).date()


def lock_team(team_id: int) -> Team:
    """Lock a team until the end of the transaction, and return it as it is stored.

    Everything that changes what a team has submitted locks it first.
    """
    return Team.objects.select_for_update(no_key=True).get(pk=team_id)


def lock_teams(shared_task: SharedTask) -> list[Team]:
    """Lock all teams of a shared task, so that no submission changes."""
    teams = Team.objects.select_for_update(no_key=True).filter(shared_task=shared_task)
    return list(teams.order_by("pk"))


def refuse_team(team: Team) -> None:
    """Raise SubmissionRefused for a team that may not submit."""
    if team.state != TeamState.ACCEPTED:
        reason = f": {team.state_reason}" if team.state_reason else ""
        raise SubmissionRefused(NOT_ACCEPTED[TeamState(team.state)].format(reason))


def refuse_phase(team: Team, phase: Phase, now: datetime) -> None:
    """Raise SubmissionRefused for a phase in which a team may not submit at an instant.

    Organisers' own teams may submit before a phase opens, and as long as its board is not final.
    """
    if phase.shared_task_id != team.shared_task_id:
        raise SubmissionRefused("This phase is one of another shared task.")
    if phase.shared_task.state == SharedTaskState.DRAFT:
        raise SubmissionRefused("The shared task is not open yet.")
    if FrozenBoard.objects.filter(phase=phase).exists():
        raise SubmissionRefused(f"The boards of the phase {phase.name} are final.")
    if not is_limited(team) or phase.is_running(now):
        return
    if now < phase.opens_at:
        raise SubmissionRefused(
            f"The phase {phase.name} opens on {phase.opens_at:%Y-%m-%d at %H:%M} UTC."
        )
    later = list_later_phases(phase, now)
    advice = f" You may submit in the phase {later[0].name} instead." if later else ""
    raise TooLate(
        f"The phase {phase.name} ended on {phase.closes_at:%Y-%m-%d at %H:%M:%S} UTC, so nothing "
        f"was submitted.{advice}",
        phases=later,
    )


def list_later_phases(phase: Phase, now: datetime) -> list[Phase]:
    """Return the open phases in which files that are too late for a phase may be submitted."""
    running = Phase.objects.filter(shared_task=phase.shared_task_id, data=phase.data).running(now)
    subtasks = set(phase.subtasks)
    return [later for later in running.exclude(pk=phase.pk) if subtasks <= set(later.subtasks)]


def refuse_beyond(attempts: Attempts, phase: Phase) -> None:
    """Raise SubmissionRefused if no attempt is left."""
    if attempts.is_used_up_today:
        raise SubmissionRefused(
            f"All {attempts.limit_today} attempts of today are used up. The next day of the shared "
            "task begins at midnight in its time zone."
        )
    if attempts.is_used_up:
        raise SubmissionRefused(
            f"All {attempts.limit} attempts of the phase {phase.name} are used up."
        )


def refuse_repeated(earlier: Submission | None) -> None:
    """Raise SubmissionRefused if a team has submitted the same predictions before."""
    if earlier:
        raise SubmissionRefused(
            f"These are the predictions of your submission {earlier.number} of "
            f"{earlier.sent_at:%Y-%m-%d %H:%M} UTC. Nothing was counted."
        )


def find_earlier(team: Team, phase: Phase, digest: str) -> Submission | None:
    """Return the submission of a team in a phase that has the same predictions, if there is one."""
    sent = Submission.objects.filter(team=team, phase=phase, digest=digest).attempts()
    return sent.first()
