"""Members of teams: found, removed, made captains. After a test phase opened organisers do it."""

from datetime import datetime

from django.db import IntegrityError, transaction

from surveys.access.audit_log import record
from surveys.access.roles import AnyUser
from surveys.models import LimitedAccount
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import (
    PhaseData,
    SharedTask,
    SharedTaskState,
    Team,
    TeamMember,
    TeamState,
)

AFTER_OPENING = (
    "The test data is published, so only the organisers change the members and names of teams. "
    "Write to them."
)


def find_membership(slug: str, user: AnyUser) -> TeamMember | None:
    """Return a participant's membership in a shared task that is public, or None."""
    if user.pk is None:
        return None
    memberships = TeamMember.objects.filter(
        participant__user_id=user.pk, shared_task__slug=slug
    ).exclude(shared_task__state=SharedTaskState.DRAFT)
    return memberships.select_related("team__shared_task", "participant__user").first()


def has_test_begun(shared_task: SharedTask, now: datetime) -> bool:
    """Return whether a phase with test data has opened."""
    return shared_task.phases.filter(data=PhaseData.TEST, opens_at__lte=now).exists()


def may_change_members(member: TeamMember, now: datetime) -> bool:
    """Return whether a member may invite and remove others, and rename the team."""
    is_accepted = member.team.state in (TeamState.ACCEPTED, TeamState.PENDING)
    return member.is_captain and is_accepted and not has_test_begun(member.shared_task, now)


def require_captain(member: TeamMember, now: datetime) -> None:
    """Raise TeamRefused for a member who may not change the team now."""
    if may_change_members(member, now):
        return
    if not member.is_captain:
        raise TeamRefused("Only a captain of the team does this.")
    if has_test_begun(member.shared_task, now):
        raise TeamRefused(AFTER_OPENING)
    raise TeamRefused(f"The team is {member.team.get_state_display()}.")


@transaction.atomic
def remove_member(member: TeamMember) -> None:
    """Remove a member from a team, for the organisers; idempotent."""
    Team.objects.select_for_update(no_key=True).get(pk=member.team_id)
    if TeamMember.objects.filter(pk=member.pk).delete()[0]:
        name = str(member.participant)
        record("team.member_removed", member.shared_task, member.team.name, member=name)


@transaction.atomic
def remove_teammate(captain: TeamMember, member: TeamMember, *, now: datetime) -> None:
    """Remove a member from a captain's own team. Raises TeamRefused, also for the only captain."""
    Team.objects.select_for_update(no_key=True).get(pk=captain.team_id)
    require_captain(captain, now)
    captains = TeamMember.objects.filter(team=captain.team_id, is_captain=True)
    if not captains.exclude(pk=member.pk).exists():
        raise TeamRefused("You are the only captain. Make another member a captain first.")
    remove_member(member)


@transaction.atomic
def make_captain(captain: TeamMember, member: TeamMember, *, now: datetime) -> None:
    """Make another member of the team a captain, too; idempotent. Raises TeamRefused."""
    Team.objects.select_for_update(no_key=True).get(pk=captain.team_id)
    require_captain(captain, now)
    if TeamMember.objects.filter(pk=member.pk, is_captain=False).update(is_captain=True):
        name = str(member.participant)
        record("team.captain_made", member.shared_task, captain.team.name, member=name)


def add_member(team: Team, participant: LimitedAccount, *, is_captain: bool) -> TeamMember:
    """Add a participant to a team whose row is locked. Raises TeamRefused for a second team."""
    stored = TeamMember.objects.filter(shared_task=team.shared_task_id, participant=participant)
    if (member := stored.select_related("team").first()) is not None:
        raise TeamRefused(f"This account is in the team {member.team} of this shared task already.")
    try:
        with transaction.atomic():
            return TeamMember.objects.create(
                shared_task_id=team.shared_task_id,
                team=team,
                participant=participant,
                is_captain=is_captain,
            )
    except IntegrityError as error:  # two links at once
        raise TeamRefused("This account is in a team of this shared task already.") from error
