from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import connection

from surveys.models import AuditEntry, LimitedAccount
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import (
    SharedTaskState,
    Team,
    TeamInvitation,
    TeamMember,
    TeamState,
)
from surveys.sharedtasks.teams.description import digest_terms
from surveys.sharedtasks.teams.links import (
    LIFETIME,
    MOST_MEMBERS,
    MOST_OPEN,
    choose_password,
    find_link,
    invite_team,
    join_team,
    join_with_account,
    make_link,
    make_member_link,
    make_password_link,
    revoke_link,
)
from tests.factories.sharedtasks import START, make_participant, make_phase, make_shared_task

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,
    pytest.mark.shared_task(has_data=False, has_organiser=True, terms="Be fair."),
]

SECRET = "correct horse battery"
BEFORE, AFTER = START - timedelta(days=1), START + timedelta(days=1)


@pytest.fixture
def token(team, ana):
    """The token of a link to join the team."""
    return token_of(make_link(team, by=ana, now=BEFORE))


def token_of(link):
    return link.rstrip("/").rpartition("/")[2]


def test_a_captain_comes_by_a_link(shared_task, ana):
    team, link = invite_team(shared_task, "Herons", by=ana, now=BEFORE)

    member = join_with_account(token_of(link), "eva", SECRET, now=BEFORE)

    assert (member.team, member.is_captain) == (team, True)
    assert member.participant.user.check_password(SECRET)
    team.refresh_from_db()
    assert (team.state, team.accepted_terms_at) == (TeamState.ACCEPTED, BEFORE)
    entries = AuditEntry.objects.filter(scope=shared_task.scope).order_by("pk")
    assert list(entries.values_list("action", "actor", "subject")) == [
        ("team.made", "the site", "Herons"),
        ("team.link_made", "the site", "Herons"),
        ("team.terms_accepted", "eva", "Herons"),
        ("team.joined", "eva", "Herons"),
    ]
    assert entries.last().details == {"terms": digest_terms(shared_task)}


def test_the_database_has_no_token(team, ana):
    token = token_of(make_link(team, by=ana, now=BEFORE))

    stored = TeamInvitation.objects.get()
    assert len(token) >= 43  # 32 random bytes
    assert token not in [str(getattr(stored, f.attname)) for f in stored._meta.concrete_fields]
    with connection.cursor() as cursor:
        cursor.execute("SELECT subject, details FROM surveys_auditentry")
        assert token not in str(cursor.fetchall())


def test_a_link_works_once(team, ana):
    token = token_of(make_link(team, by=ana, now=BEFORE))
    join_with_account(token, "eva", SECRET, now=BEFORE)

    with pytest.raises(TeamRefused, match="no longer valid"):
        join_with_account(token, "zoe", SECRET, now=BEFORE)

    assert not User.objects.filter(username="zoe").exists()


def test_a_link_is_not_used_up_by_a_refusal(team, ana):
    token = token_of(make_link(team, by=ana, now=BEFORE))

    with pytest.raises(TeamRefused, match="already exists"):
        join_with_account(token, "otters", SECRET, now=BEFORE)

    assert find_link(token, BEFORE)


def test_a_link_ends_after_two_weeks(team, ana):
    token = token_of(make_link(team, by=ana, now=BEFORE))

    assert find_link(token, BEFORE + LIFETIME - timedelta(seconds=1))
    assert find_link(token, BEFORE + LIFETIME) is None
    assert find_link("x" * 43, BEFORE) is None
    assert find_link("\ud800", BEFORE) is None


def test_a_revoked_link_opens_nothing(team, ana):
    token = token_of(make_link(team, by=ana, now=BEFORE))

    revoke_link(TeamInvitation.objects.get(), now=BEFORE)
    revoke_link(TeamInvitation.objects.get(), now=AFTER)

    assert find_link(token, BEFORE) is None
    assert TeamInvitation.objects.get().revoked_at == BEFORE
    assert AuditEntry.objects.filter(action="team.link_revoked").count() == 1


@pytest.mark.parametrize("state", [TeamState.EXCLUDED, TeamState.WITHDRAWN])
def test_nobody_joins_a_team_that_is_out(team, ana, state):
    token = token_of(make_link(team, by=ana, now=BEFORE))
    Team.objects.update(state=state)

    assert find_link(token, BEFORE) is None
    with pytest.raises(TeamRefused):
        make_link(team, by=ana, now=BEFORE)


def test_a_draft_has_no_teams(shared_task, ana):
    shared_task.state = SharedTaskState.DRAFT

    with pytest.raises(TeamRefused, match="Open the shared task first"):
        invite_team(shared_task, "Herons", by=ana, now=BEFORE)

    assert not Team.objects.exists()


def test_a_captain_invites_until_test_data_open(captain, phase):
    token = token_of(make_member_link(captain, now=BEFORE))

    assert find_link(token, START - timedelta(seconds=1))
    assert find_link(token, START) is None
    with pytest.raises(TeamRefused, match="only the organisers"):
        make_member_link(captain, now=START)


def test_practice_data_end_no_link(captain, shared_task):
    make_phase(shared_task, "practice", data="practice", closes_at=None)
    token = token_of(make_member_link(captain, now=BEFORE))

    member = join_with_account(token, "eva", SECRET, now=AFTER)

    assert (member.is_captain, member.team) == (False, captain.team)


def test_organisers_invite_at_any_time(team, ana, phase):
    token = token_of(make_link(team, by=ana, now=AFTER))

    assert join_with_account(token, "eva", SECRET, now=AFTER).team == team


def test_a_member_makes_no_link(captain, ana):
    token = token_of(make_link(captain.team, by=ana, now=BEFORE))
    member = join_with_account(token, "eva", SECRET, now=BEFORE)

    with pytest.raises(TeamRefused, match="Only a captain"):
        make_member_link(member, now=BEFORE)


def test_open_links_are_bounded(captain):
    for _ in range(MOST_OPEN):
        make_member_link(captain, now=BEFORE)

    with pytest.raises(TeamRefused, match="30 links"):
        make_member_link(captain, now=BEFORE)


def test_a_participant_joins_a_team_of_another_shared_task(team, ana):
    user = User.objects.get(username="otters")
    other, link = invite_team(make_shared_task(ana, slug="other"), "Herons", by=ana, now=BEFORE)

    join_team(token_of(link), user, now=BEFORE)

    teams = TeamMember.objects.filter(participant=user.limited_account).values_list(
        "team", flat=True
    )
    assert set(teams) == {team.pk, other.pk}


def test_a_participant_is_in_one_team_of_a_shared_task(team, ana, shared_task):
    user = User.objects.get(username="otters")
    _, link = invite_team(shared_task, "Herons", by=ana, now=BEFORE)

    with pytest.raises(TeamRefused, match="in the team Otters of this shared task already"):
        join_team(token_of(link), user, now=BEFORE)

    assert find_link(token_of(link), BEFORE)


def test_a_new_password_comes_by_a_link(captain, ana):
    first = token_of(make_password_link(captain, by=ana, now=BEFORE))
    token = token_of(make_password_link(captain, by=ana, now=BEFORE))

    user = choose_password(token, SECRET, now=BEFORE)

    assert user == captain.participant.user
    assert User.objects.get(pk=user.pk).check_password(SECRET)
    assert find_link(first, BEFORE) is find_link(token, BEFORE) is None
    entry = AuditEntry.objects.get(action="account.password_chosen")
    assert (entry.actor, entry.subject) == ("otters", "otters")


def test_kinds_of_links_are_not_exchanged(captain, ana):
    to_join = token_of(make_link(captain.team, by=ana, now=BEFORE))
    for_password = token_of(make_password_link(captain, by=ana, now=BEFORE))

    with pytest.raises(TeamRefused):
        choose_password(to_join, SECRET, now=BEFORE)
    with pytest.raises(TeamRefused):
        join_with_account(for_password, "eva", SECRET, now=BEFORE)

    assert find_link(to_join, BEFORE)
    assert find_link(for_password, BEFORE)
    assert LimitedAccount.objects.count() == 1


def test_an_organiser_takes_over_no_account_of_another_shared_task(captain, ana):
    other = make_shared_task(User.objects.create_user("mia"), slug="other")
    herons = Team.objects.create(shared_task=other, name="Herons", name_key="herons")
    TeamMember.objects.create(shared_task=other, team=herons, participant=captain.participant)

    with pytest.raises(TeamRefused, match="an operator"):
        make_password_link(captain, by=ana, now=BEFORE)

    operator = User.objects.create_superuser("op")
    assert make_password_link(captain, by=operator, now=BEFORE)


@pytest.mark.django_db(transaction=True)
def test_of_people_who_use_a_link_at_once_one_joins(token, at_once):
    answers = at_once(
        *(partial(join_with_account, token, f"eva{n}", SECRET, now=BEFORE) for n in range(4))
    )

    refused = [one for one in answers if isinstance(one, TeamRefused)]
    assert len(refused) == 3
    assert len([one for one in answers if isinstance(one, TeamMember)]) == 1


@pytest.fixture
def other_token(shared_task, ana):
    """The token of a link to join another team."""
    herons = Team.objects.create(shared_task=shared_task, name="Herons", name_key="herons")
    return token_of(make_link(herons, by=ana, now=BEFORE))


@pytest.mark.django_db(transaction=True)
def test_of_people_who_choose_a_name_at_once_one_gets_it(token, other_token, at_once):
    answers = at_once(
        *(
            partial(join_with_account, one, "eva", SECRET, now=BEFORE)
            for one in (token, other_token)
        )
    )

    assert {type(one) for one in answers} == {TeamMember, TeamRefused}


@pytest.fixture
def eva():
    return make_participant(User.objects.create_user("eva")).user


@pytest.mark.django_db(transaction=True)
def test_a_person_who_uses_two_links_at_once_joins_one_team(token, other_token, eva, at_once):
    answers = at_once(*(partial(join_team, one, eva, now=BEFORE) for one in (token, other_token)))

    assert {type(one) for one in answers} == {TeamMember, TeamRefused}


def test_a_team_has_fifty_members_at_most(team, token):
    for n in range(MOST_MEMBERS - 1):
        participant = make_participant(User.objects.create_user(f"member {n}"))
        TeamMember.objects.create(shared_task=team.shared_task, team=team, participant=participant)

    with pytest.raises(TeamRefused, match="50 members"):
        join_with_account(token, "eva", SECRET, now=BEFORE)

    assert team.members.count() == MOST_MEMBERS
    assert not User.objects.filter(username="eva").exists()
