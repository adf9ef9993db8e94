import pytest
from django.contrib.auth.models import User

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import (
    Registration,
    SharedTaskState,
    Team,
    TeamState,
)
from surveys.sharedtasks.teams.links import find_link, make_link
from surveys.sharedtasks.teams.registration import (
    accept_team,
    decline_team,
    register_team,
    register_with_account,
    withdraw_team,
)
from tests.factories.sharedtasks import START, make_team

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,
    pytest.mark.shared_task(has_data=False, registration=Registration.FORM),
]

SECRET = "correct horse battery"


def register(shared_task, name="Herons", username="eva"):
    return register_with_account(shared_task, name, "eva@example.org", username, SECRET, now=START)


def test_a_registered_team_waits_for_the_organisers(shared_task):
    member = register(shared_task, "  Blue   Herons ")

    assert (member.team.name, member.team.state) == ("Blue Herons", TeamState.PENDING)
    assert member.is_captain
    assert accept_team(member.team).state == TeamState.ACCEPTED
    accept_team(member.team)
    actions = AuditEntry.objects.filter(scope=shared_task.scope).values_list("action", "actor")
    assert list(actions.order_by("pk")) == [
        ("team.terms_accepted", "eva"), ("team.registered", "eva"), ("team.accepted", "the site"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "closed",
    [
        {"registration": Registration.LINKS},
        {"state": SharedTaskState.FINALISED},
        {"state": SharedTaskState.DRAFT},
    ],
)
def test_registration_is_switched_on_by_the_organisers(shared_task, closed):
    for name, value in closed.items():
        setattr(shared_task, name, value)

    with pytest.raises(TeamRefused, match="cannot register"):
        register(shared_task)

    assert not User.objects.exists()


def test_a_refused_registration_makes_no_account(shared_task):
    make_team(shared_task)

    with pytest.raises(TeamRefused, match="already"):
        register(shared_task, "OTTERS")

    assert not User.objects.filter(username="eva").exists()


def test_a_participant_registers_one_team(shared_task):
    member = register(shared_task)

    with pytest.raises(TeamRefused, match="already"):
        register_team(shared_task, "Second", "eva", member.participant.user, now=START)

    assert Team.objects.count() == 1


def test_a_declined_team_is_deleted_and_its_captain_may_register_again(shared_task):
    member = register(shared_task)

    decline_team(member.team)
    again = register_team(shared_task, "Herons", "eva", member.participant.user, now=START)

    assert [team.pk for team in Team.objects.all()] == [again.team.pk]


def test_only_a_pending_team_is_declined_or_accepted(shared_task):
    team = make_team(shared_task, state=TeamState.EXCLUDED)

    with pytest.raises(TeamRefused):
        decline_team(team)
    with pytest.raises(TeamRefused, match="excluded"):
        accept_team(team)

    team.refresh_from_db()
    assert team.state == TeamState.EXCLUDED


def test_a_team_withdraws(shared_task):
    team = make_team(shared_task)
    link = make_link(team, by=team.members.get().participant.user, now=START)

    withdraw_team(team, hides_name=False, now=START)
    withdraw_team(team, hides_name=False, now=START)
    named = withdraw_team(team, hides_name=True, now=START)

    assert (named.state, named.hides_name) == (TeamState.WITHDRAWN, True)
    assert find_link(link.rstrip("/").rpartition("/")[2], START) is None
    assert AuditEntry.objects.filter(action="team.withdrawn").count() == 2


def test_an_excluded_team_does_not_withdraw(shared_task):
    team = make_team(shared_task, state=TeamState.EXCLUDED)

    with pytest.raises(TeamRefused, match="excluded"):
        withdraw_team(team, hides_name=True, now=START)

    team.refresh_from_db()
    assert (team.state, team.hides_name) == (TeamState.EXCLUDED, False)
