"""Retention of the members and contacts of shared tasks: dropped some days after publishing."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from surveys.access.audit_log import record
from surveys.models import AuditEntry, LimitedAccount
from surveys.sharedtasks.models import (
    SharedTask,
    SharedTaskState,
    Team,
    TeamInvitation,
    TeamMember,
)
from surveys.sharedtasks.retention.stray_files import drop_stray_files
from surveys.sharedtasks.teams.links import HOME
from surveys.sharedtasks.uploads import drop_uploads

A_MEMBER = "a member of a team"  # instead of a name in the log
IDLE = timedelta(days=90)  # after which an account that is in no team is deleted


@transaction.atomic
def drop_participants(shared_task: SharedTask) -> int:
    """Drop the members and contacts of a shared task; idempotent. Return the number of members.

    Accounts that are in no other team are deleted, with their names in the log. Names of teams and
    their descriptions stay: they are public by consent.
    """
    shared_task = SharedTask.objects.select_for_update(no_key=True).get(pk=shared_task.pk)
    members = list(_members_of(shared_task).values_list("participant", flat=True))
    _members_of(shared_task).delete()
    TeamInvitation.objects.filter(team__shared_task=shared_task).delete()
    n_contacts = _contacts_of(shared_task).update(contact="")
    left = LimitedAccount.objects.filter(pk__in=members, memberships=None)
    _delete_accounts(list(left.values_list("user", flat=True)))
    if members or n_contacts:
        days = shared_task.contact_days
        record("personal_data.dropped", shared_task, members=len(members), days=days)
    return len(members)


def find_due(now: datetime) -> dict[str, str]:
    """Count the members that are due to be dropped, by shared task."""
    return {task.slug: _count_members(task.members.count()) for task in _list_due_tasks(now)}


def drop_due(now: datetime) -> dict[str, str]:
    """Drop what is due: members and contacts, checked and stray files, and accounts in no team.

    Return the numbers of members by shared task.
    """
    drop_uploads()
    drop_stray_files(now)
    drop_idle_accounts(now)
    return {task.slug: _count_members(drop_participants(task)) for task in _list_due_tasks(now)}


@transaction.atomic
def drop_idle_accounts(now: datetime) -> int:
    """Delete accounts that are in no team and were not used for a time; return their number.

    They are of people whose team was declined, or who were removed from theirs.
    """
    since = now - IDLE
    idle = LimitedAccount.objects.filter(home=HOME, memberships=None, created_at__lt=since)
    used = Q(user__last_login__gte=since)
    users = list(idle.exclude(used).values_list("user", flat=True))
    _delete_accounts(users)
    return len(users)


def _list_due_tasks(now: datetime) -> list[SharedTask]:
    """Return the published shared tasks that still have members or contacts and are due."""
    published = SharedTask.objects.filter(state=SharedTaskState.PUBLISHED)
    return [
        shared_task
        for shared_task in published
        if shared_task.published_at
        and shared_task.published_at + timedelta(days=shared_task.contact_days) <= now
        and (_members_of(shared_task).exists() or _contacts_of(shared_task).exists())
    ]


def _count_members(n_members: int) -> str:
    return f"members of teams {n_members}"


def _members_of(shared_task: SharedTask) -> QuerySet[TeamMember]:
    return TeamMember.objects.filter(shared_task=shared_task)


def _contacts_of(shared_task: SharedTask) -> QuerySet[Team]:
    return Team.objects.filter(shared_task=shared_task).exclude(contact="")


def _delete_accounts(users: Collection[int]) -> None:
    """Delete accounts; what they did stays in the log without their names."""
    names = set(User.objects.filter(pk__in=users).values_list("username", flat=True))
    AuditEntry.objects.filter(user__in=users).update(user=None, actor=A_MEMBER)
    for entry in AuditEntry.objects.filter(details__member__in=list(names)):
        entry.details["member"] = A_MEMBER
        entry.save(update_fields=["details"])
    entries = AuditEntry.objects.filter(action__startswith="account.", subject__in=names)
    entries.update(subject=A_MEMBER)
    User.objects.filter(pk__in=users).delete()
