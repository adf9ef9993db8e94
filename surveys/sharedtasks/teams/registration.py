"""Teams that register themselves, and teams that withdraw."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from surveys.access.audit_log import acting, record
from surveys.models import LimitedAccount
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.final_results.renaming import hide_name
from surveys.sharedtasks.models import (
    Registration,
    SharedTask,
    SharedTaskState,
    Team,
    TeamInvitation,
    TeamMember,
    TeamState,
)
from surveys.sharedtasks.tasks import lock_task
from surveys.sharedtasks.teams.description import accept_terms
from surveys.sharedtasks.teams.links import make_account
from surveys.sharedtasks.teams.members import add_member
from surveys.sharedtasks.teams.names import add_team, read_team_name


def takes_registrations(shared_task: SharedTask) -> bool:
    """Return whether teams may register themselves."""
    is_open = shared_task.state == SharedTaskState.OPEN
    return is_open and shared_task.registration == Registration.FORM


@transaction.atomic
def register_with_account(
    shared_task: SharedTask, name: str, contact: str, username: str, password: str, *, now: datetime
) -> TeamMember:
    """Create a pending team, and the account of its captain. Raises TeamRefused."""
    name = _check(shared_task, name)
    participant = make_account(username, password)
    with acting(participant.user):
        return _register(shared_task, name, contact, participant, now=now)


@transaction.atomic
def register_team(
    shared_task: SharedTask, name: str, contact: str, user: User, *, now: datetime
) -> TeamMember:
    """Create a pending team, whose captain is a participant. Raises TeamRefused."""
    name = _check(shared_task, name)
    return _register(shared_task, name, contact, user.limited_account, now=now)


@transaction.atomic
def accept_team(team: Team) -> Team:
    """Let a pending team submit; idempotent. Raises TeamRefused for a team in another state."""
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if team.state == TeamState.ACCEPTED:
        return team
    if team.state != TeamState.PENDING:
        raise TeamRefused(f"The team is {team.get_state_display()}.")
    team.state = TeamState.ACCEPTED
    team.save(update_fields=["state"])
    record("team.accepted", team.shared_task, team.name)
    return team


@transaction.atomic
def decline_team(team: Team) -> None:
    """Delete a pending team; the accounts of its members stay. Raises TeamRefused."""
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if team.state != TeamState.PENDING:
        raise TeamRefused("Only a pending team is declined. Exclude the team instead.")
    record("team.declined", team.shared_task, team.name)
    team.delete()


@transaction.atomic
def withdraw_team(team: Team, *, hides_name: bool, now: datetime) -> Team:
    """Withdraw a team: it submits nothing more, and boards that become final later leave it out.

    A row of a final board stays, marked as withdrawn; with `hides_name` it shows the code of the
    team. Idempotent. Raises TeamRefused for a team that was excluded or merged.
    """
    lock_task(team.shared_task)  # before the team, as where boards become final
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if team.state not in (TeamState.PENDING, TeamState.ACCEPTED, TeamState.WITHDRAWN):
        raise TeamRefused(f"The team is {team.get_state_display()}.")
    if team.state == TeamState.WITHDRAWN and team.hides_name >= hides_name:
        return team
    team.state, team.hides_name = TeamState.WITHDRAWN, team.hides_name or hides_name
    team.save(update_fields=["state", "hides_name"])
    TeamInvitation.objects.valid(now).filter(team=team, participant=None).update(revoked_at=now)
    record("team.withdrawn", team.shared_task, team.name)
    if team.hides_name:
        hide_name(team)
    return team


def _check(shared_task: SharedTask, name: str) -> str:
    if not takes_registrations(shared_task):
        raise TeamRefused("Teams cannot register for this shared task. Write to its organisers.")
    return read_team_name(name)


def _register(
    shared_task: SharedTask, name: str, contact: str, participant: LimitedAccount, *, now: datetime
) -> TeamMember:
    team = add_team(shared_task=shared_task, name=name, contact=contact, state=TeamState.PENDING)
    member = add_member(team, participant, is_captain=True)
    accept_terms(team, now=now)
    record("team.registered", shared_task, team.name)
    return member
