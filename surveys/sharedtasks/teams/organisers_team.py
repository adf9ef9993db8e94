"""Submissions of organisers: trial runs, which are never ranked, and further baselines."""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from surveys.access.audit_log import record
from surveys.sharedtasks.errors import SharedTaskRefused, TeamRefused
from surveys.sharedtasks.models import Phase, SharedTask, Submission, Team, TeamKind
from surveys.sharedtasks.submissions import submit
from surveys.sharedtasks.tasks import lock_task
from surveys.sharedtasks.teams.names import add_team, make_name_key, read_row_name
from surveys.sharedtasks.uploads import check_files

TRIAL = "Trial"  # the name of the organisers' own team, unless a team has it


def submit_for_organisers(
    shared_task: SharedTask,
    phase: Phase,
    files: Sequence[tuple[str, bytes]],
    *,
    by: User | None,
    now: datetime,
    baseline: str = "",
) -> Submission:
    """Submit files of the organisers: a trial run, or a baseline under its name.

    There are no limits, and the phase need not have opened. Raises UploadRefused with all findings,
    and SharedTaskRefused for a name that a team has and for a phase whose boards are final.
    """
    kind = TeamKind.BASELINE if baseline else TeamKind.TRIAL
    team = find_organisers_team(shared_task, kind, baseline.strip() or TRIAL)
    upload = check_files(team, phase, files, by=by, now=now)
    return submit(upload, by=by, now=now)


def find_trial_team(shared_task: SharedTask) -> Team | None:
    """Return the team of the organisers' trial runs, or None before the first one."""
    return Team.objects.filter(shared_task=shared_task, kind=TeamKind.TRIAL).first()


def make_trial_team(shared_task: SharedTask) -> Team:
    """Return the team of the organisers' trial runs, which is made when it is needed.

    Raises SharedTaskRefused if a team has its name.
    """
    return find_organisers_team(shared_task, TeamKind.TRIAL, TRIAL)


@transaction.atomic
def find_organisers_team(shared_task: SharedTask, kind: TeamKind, name: str) -> Team:
    """Return the organisers' team of a kind and name, which is made when it is needed.

    Raises SharedTaskRefused for a name that is too long or not possible, or that a team or another
    row of boards has.
    """
    shared_task = lock_task(shared_task)
    name = _read_name(name)
    team = Team.objects.filter(shared_task=shared_task, name_key=make_name_key(name)).first()
    if team and team.kind == kind:
        return team
    try:
        team = add_team(shared_task=shared_task, kind=kind, name=name)
    except TeamRefused as error:
        raise SharedTaskRefused(f"A team has the name {name} already.") from error
    record("team.own_made", shared_task, name, kind=kind.value)
    return team


def _read_name(name: str) -> str:
    try:
        return read_row_name(name)
    except TeamRefused as error:
        raise SharedTaskRefused(str(error)) from error
