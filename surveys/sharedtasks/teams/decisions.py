"""Decisions of organisers about teams: more attempts, exclusion, merging two into one."""

from collections import Counter
from datetime import datetime

from django.db import transaction
from django.db.models import F, Max

from surveys.access.audit_log import record
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import (
    Allowance,
    FrozenBoard,
    Phase,
    Submission,
    SubmissionState,
    Team,
    TeamInvitation,
    TeamKind,
    TeamMember,
    TeamState,
    Upload,
)
from surveys.sharedtasks.scoring.counting import count_team
from surveys.sharedtasks.teams.attempts import day_of, lock_team

MOST_MORE = 1_000  # attempts at once
DUPLICATE = "the same predictions as another submission of the merged team"


@transaction.atomic
def allow_attempts(team: Team, phase: Phase, n_more: int, reason: str) -> Allowance:
    """Give a team more attempts in a phase, beyond those that it was given before.

    Raises SharedTaskRefused without a reason, for a number out of range, and for a final phase.
    """
    team = lock_team(team.pk)
    _require(reason, "Write why the team gets more attempts.")
    if phase.shared_task_id != team.shared_task_id or team.kind != TeamKind.TEAM:
        raise SharedTaskRefused("This team has no attempts in this phase.")
    if not 0 < n_more <= MOST_MORE:
        raise SharedTaskRefused(f"Give from 1 to {MOST_MORE:,} attempts.")
    _refuse_final(team, [phase])
    allowance, _ = Allowance.objects.get_or_create(
        team=team, phase=phase, defaults={"n_attempts": 0, "reason": ""}
    )
    Allowance.objects.filter(pk=allowance.pk).update(
        n_attempts=F("n_attempts") + n_more, reason=reason.strip()[:300]
    )
    allowance.refresh_from_db()
    subject = f"{team.name} in {phase.name}"
    record("team.attempts_allowed", team.shared_task, subject, n=n_more, reason=reason)
    return allowance


@transaction.atomic
def exclude_team(team: Team, reason: str) -> Team:
    """Exclude a team, with a reason that it reads; idempotent. It is on no board made later.

    Raises SharedTaskRefused without a reason, and for a team that was merged or has withdrawn.
    """
    team = lock_team(team.pk)
    if team.state == TeamState.EXCLUDED:
        return team
    _require(reason, "Write why the team is excluded; it reads the reason.")
    if team.state not in (TeamState.ACCEPTED, TeamState.PENDING):
        raise SharedTaskRefused(f"The team cannot be excluded: it is {team.get_state_display()}.")
    _set_state(team, TeamState.EXCLUDED, reason)
    record("team.excluded", team.shared_task, team.name, reason=reason)
    return team


@transaction.atomic
def readmit_team(team: Team) -> Team:
    """Accept an excluded team again; idempotent. Raises SharedTaskRefused for others."""
    team = lock_team(team.pk)
    if team.state == TeamState.ACCEPTED:
        return team
    if team.state != TeamState.EXCLUDED:
        raise SharedTaskRefused("Only an excluded team can be accepted again.")
    _set_state(team, TeamState.ACCEPTED, "")
    record("team.readmitted", team.shared_task, team.name)
    return team


@transaction.atomic
def merge_teams(team: Team, into: Team, reason: str, *, now: datetime) -> Team:
    """Merge a team into another team: members and submissions move, and attempts add up.

    Submissions get the next numbers, in their order; one with the same predictions as one of the
    other team is cancelled. Raises SharedTaskRefused without a reason, for teams that are not
    accepted, where they have more attempts than one team may have, and once boards are final.
    """
    team, into = _lock_both(team, into)
    _require(reason, "Write why the teams are merged; they read the reason.")
    for party in (team, into):
        if party.state != TeamState.ACCEPTED or party.kind != TeamKind.TEAM:
            raise SharedTaskRefused(f"{party.name} cannot be merged: only accepted teams can.")
    phases = list(team.shared_task.phases.filter(submissions__team__in=(team, into)).distinct())
    _refuse_final(team, phases)
    for phase in phases:
        _cancel_duplicates(team, into, phase)
        _merge_allowances(team, into, phase)
        _refuse_beyond(team, into, phase)
        _move_submissions(team, into, phase)
    TeamMember.objects.filter(team=team).update(team=into)
    TeamInvitation.objects.valid(now).filter(team=team).update(revoked_at=now)
    Upload.objects.filter(team=team).update(team=into)
    team.merged_into = into
    _set_state(team, TeamState.MERGED, reason)
    for party in (team, into):
        count_team(party, phases)
    team.counted_submissions.all().delete()
    record("team.merged", into.shared_task, f"{team.name} into {into.name}", reason=reason)
    return into


def _lock_both(team: Team, into: Team) -> tuple[Team, Team]:
    """Lock two teams, the older one first, so that two merges do not wait for each other."""
    if team.pk == into.pk or team.shared_task_id != into.shared_task_id:
        raise SharedTaskRefused("Choose another team of this shared task.")
    locked = {pk: lock_team(pk) for pk in sorted((team.pk, into.pk))}
    return locked[team.pk], locked[into.pk]


def _require(reason: str, words: str) -> None:
    if not reason.strip():
        raise SharedTaskRefused(words)


def _refuse_final(team: Team, phases: list[Phase]) -> None:
    if FrozenBoard.objects.filter(phase__in=phases).exists():
        raise SharedTaskRefused("The boards are final, so they no longer change.")


def _set_state(team: Team, state: TeamState, reason: str) -> None:
    team.state, team.state_reason = state, reason.strip()[:300]
    team.save(update_fields=["state", "state_reason", "merged_into"])


def _cancel_duplicates(team: Team, into: Team, phase: Phase) -> None:
    """Cancel a team's submissions that the other team has sent as well: each is one attempt."""
    digests = Submission.objects.filter(team=into, phase=phase).attempts().values("digest")
    duplicates = Submission.objects.filter(team=team, phase=phase, digest__in=digests).attempts()
    duplicates.update(state=SubmissionState.CANCELLED, state_reason=DUPLICATE)


def _merge_allowances(team: Team, into: Team, phase: Phase) -> None:
    moved = Allowance.objects.filter(team=team, phase=phase).first()
    if moved is None:
        return
    allowances = Allowance.objects.filter(team=into, phase=phase)
    if allowances.update(n_attempts=F("n_attempts") + moved.n_attempts):
        moved.delete()
    else:
        Allowance.objects.filter(pk=moved.pk).update(team=into)


def _refuse_beyond(team: Team, into: Team, phase: Phase) -> None:
    """Raise SharedTaskRefused if two teams have more attempts than one team may have."""
    sent = Submission.objects.filter(team__in=(team, into), phase=phase).attempts()
    days = Counter(day_of(at, phase) for at in sent.values_list("sent_at", flat=True))
    allowance = Allowance.objects.filter(team=into, phase=phase).first()
    n_more = allowance.n_attempts if allowance else 0
    total, daily = phase.attempts_total, phase.attempts_a_day
    if total is not None and days.total() > total + n_more:
        raise SharedTaskRefused(
            f"Together the teams have {days.total()} attempts in {phase.name}, and a team may have "
            f"{total + n_more}. Allow more attempts first, or leave them apart."
        )
    if daily is not None and sum(max(0, n - daily) for n in days.values()) > n_more:
        raise SharedTaskRefused(
            f"Together the teams have {max(days.values())} attempts on one day in {phase.name}, "
            f"and a team may have {daily}. Allow more attempts first, or leave them apart."
        )


def _move_submissions(team: Team, into: Team, phase: Phase) -> None:
    last = Submission.objects.filter(team=into, phase=phase).aggregate(n=Max("number"))["n"] or 0
    moved = Submission.objects.filter(team=team, phase=phase).order_by("number")
    for number, submission in enumerate(moved, last + 1):
        submission.team, submission.number = into, number
        submission.save(update_fields=["team", "number"])
