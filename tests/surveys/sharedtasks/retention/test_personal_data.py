"""Members and contacts of shared tasks are dropped after publishing, and nothing else."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from surveys.access.audit_log import acting, record
from surveys.models import AuditEntry, LimitedAccount
from surveys.sharedtasks.models import Submission, Team, TeamInvitation, TeamMember
from surveys.sharedtasks.retention.personal_data import drop_due, find_due
from tests.factories.sharedtasks import (
    START,
    make_participant,
    make_phase,
    make_shared_task,
    make_team,
    send,
)
from tests.surveys.management.running import run

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
DAYS = timedelta(days=90)


@pytest.fixture
def due_team(shared_task):
    team = make_team(shared_task, contact="ana@example.org", described_at=START)
    send(team, make_phase(shared_task))
    user = team.members.get().participant.user
    Submission.objects.update(sent_by=user)
    with acting(user):
        record("team.described", shared_task, team.name)
        record("account.password_chosen", None, user.username)
    with acting("the site"):
        record("team.member_removed", shared_task, member=user.username)
    TeamInvitation.objects.create(team=team, digest="a" * 64, expires_at=START)
    return team


def publish(shared_task, at=START):
    shared_task.state, shared_task.published_at = "published", at
    shared_task.save()


def test_members_and_contacts_are_dropped_when_the_days_are_over(shared_task, due_team):
    publish(shared_task)

    assert find_due(START + DAYS - timedelta(seconds=1)) == {}
    assert drop_due(START + DAYS) == {"gwsc": "members of teams 1"}
    assert drop_due(START + DAYS) == {}

    due_team.refresh_from_db()
    assert (due_team.contact, due_team.name) == ("", "Otters")
    assert not TeamMember.objects.exists()
    assert not LimitedAccount.objects.exists()
    assert not TeamInvitation.objects.exists()
    assert not User.objects.filter(username="otters").exists()
    assert Submission.objects.get().sent_by is None


def test_the_log_keeps_what_was_done_without_names_of_members(shared_task, due_team):
    publish(shared_task)

    drop_due(START + DAYS)

    entries = {entry.action: entry for entry in AuditEntry.objects.all()}
    described = entries["team.described"]
    assert (described.user, described.actor, described.subject) == (
        None, "a member of a team", "Otters",
    )  # fmt: skip
    assert entries["account.password_chosen"].subject == "a member of a team"
    assert entries["team.member_removed"].details == {"member": "a member of a team"}
    assert entries["personal_data.dropped"].details == {"members": 1, "days": 90}


def test_a_person_in_another_team_keeps_the_account(shared_task, due_team):
    other = make_shared_task(slug="later")
    person = due_team.members.get().participant
    TeamMember.objects.create(
        shared_task=other,
        team=Team.objects.create(shared_task=other, name="A", name_key="a"),
        participant=person,
    )
    publish(shared_task)

    drop_due(START + DAYS)

    assert list(TeamMember.objects.values_list("participant", flat=True)) == [person.pk]


def test_accounts_that_left_their_team_are_dropped_unless_they_are_used(shared_task, due_team):
    """Such as those of a team that was declined."""
    later = START + timedelta(days=1)
    for name, at in (("left", START), ("used", START), ("new", later)):
        made = make_participant(User.objects.create_user(name))
        LimitedAccount.objects.filter(pk=made.pk).update(created_at=at)
    User.objects.filter(username="used").update(last_login=later)
    with acting(User.objects.get(username="left")):
        record("account.password_chosen", None, "left")

    drop_due(START + DAYS + timedelta(seconds=1))

    assert set(User.objects.values_list("username", flat=True)) == {"otters", "used", "new"}
    entry = AuditEntry.objects.filter(action="account.password_chosen").latest("pk")
    assert (entry.actor, entry.subject) == ("a member of a team", "a member of a team")


def test_nothing_is_dropped_before_publishing_or_after_taking_back(shared_task, due_team):
    shared_task.published_at, shared_task.retracted_at = START, START
    shared_task.state = "finalised"
    shared_task.save()

    assert drop_due(START + 2 * DAYS) == {}
    assert TeamMember.objects.count() == 1


def test_the_command_drops_and_only_prints_before(shared_task, due_team):
    publish(shared_task, START - timedelta(days=1000))

    assert run("drop_personal_data", "--dry-run")[0] == "gwsc: to be dropped: members of teams 1\n"
    assert TeamMember.objects.count() == 1
    assert run("drop_personal_data")[0] == "gwsc: dropped: members of teams 1\n"
    assert run("drop_personal_data")[0] == ""
