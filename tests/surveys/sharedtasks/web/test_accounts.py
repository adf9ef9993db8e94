"""Accounts of participants: sign-in, links, registration, password."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.access.sign_in_limits import ADDRESS_LIMIT
from surveys.sharedtasks.models import (
    Registration,
    SharedTask,
    Team,
    TeamInvitation,
    TeamState,
)
from surveys.sharedtasks.teams.links import make_link, make_password_link
from tests.factories.clients import client_of
from tests.factories.sharedtasks import START, make_shared_task

pytestmark = pytest.mark.shared_task(has_data=False, has_organiser=True, terms="Be *fair*.")

SECRET = "correct horse battery"
SIGN_IN = "/tasks/sign-in/"
NEW = {"username": "eva", "password1": SECRET, "password2": SECRET, "accepts": "on"}


@pytest.fixture
def member_link(team, ana, clock):
    return path_of(make_link(team, by=ana, now=START))


def path_of(link):
    return "/tasks/" + link.partition("/tasks/")[2]


def said(answer):
    return " ".join(answer.content.decode().split())


def give_password(name="otters"):
    user = User.objects.get(username=name)
    user.set_password(SECRET)
    user.save()


def enter(client, name="otters", password=SECRET, **more):
    return client.post(SIGN_IN, {"username": name, "password": password, **more})


def test_a_member_signs_in_and_out(team):
    give_password()
    client = Client()

    assert enter(client).url == "/tasks/account/"
    assert "Otters" in said(client.get("/tasks/account/"))
    assert client.get(SIGN_IN).url == "/tasks/account/"
    assert client.post("/tasks/sign-out/").url == SIGN_IN
    assert client.get("/tasks/account/").url == f"{SIGN_IN}?next=/tasks/account/"


def test_sign_in_leads_to_the_page_that_was_asked_for_on_this_site_alone(team):
    give_password()

    assert enter(Client(), next="/tasks/gwsc/team/").url == "/tasks/gwsc/team/"
    assert enter(Client(), next="https://example.org/").url == "/tasks/account/"


def test_each_door_refuses_accounts_of_the_other(team, ana):
    give_password()

    at_tasks = enter(Client(), "ana", "correct horse")
    at_console = Client().post("/console/sign-in/", {"username": "otters", "password": SECRET})

    assert "belongs to a researcher" in said(at_tasks)
    assert "has no access to the console" in said(at_console)
    assert at_tasks.cookies.get("sessionid") is at_console.cookies.get("sessionid") is None


def test_sign_in_is_limited_as_in_the_console(team):
    give_password()
    client = Client()

    statuses = [enter(client, f"name {n}").status_code for n in range(ADDRESS_LIMIT.burst + 1)]

    assert statuses == [200] * ADDRESS_LIMIT.burst + [429]
    refused = enter(client)
    assert refused.status_code == 429
    assert "ask the organisers for a link" in said(refused)


def test_a_wrong_password_locks_the_name_for_the_address(team):
    give_password()
    client = Client()
    for _ in range(5):
        enter(client, password="wrong")

    assert enter(client).status_code == 429


def test_a_new_person_joins_by_a_link(member_link, team, shared_task):
    client = Client()

    shown = client.get(member_link)
    joined = client.post(member_link, NEW)

    assert "Join the team Otters" in said(shown)
    assert "<em>fair</em>" in said(shown)
    assert joined.url == "/tasks/gwsc/team/"
    assert client.get(joined.url).status_code == 200
    assert team.members.filter(participant__user__username="eva", is_captain=False).exists()
    assert "known_browser" in joined.cookies
    assert (
        Client().get(member_link).status_code == Client().post(member_link, NEW).status_code == 410
    )


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"accepts": ""}, "Accept the terms"),
        ({"password2": "another horse"}, "didn’t match"),
        ({"password1": "1234", "password2": "1234"}, "too short"),
        ({"username": "otters"}, "already exists"),
        ({"username": "with space"}, "valid username"),
        ({"username": ""}, "required"),
        ({"password1": "x" * 2000, "password2": "x" * 2000}, "at most 1000"),
    ],
)
def test_a_faulty_form_does_not_use_up_the_link(member_link, team, wrong, complaint):
    answer = Client().post(member_link, NEW | wrong)

    assert answer.status_code == 422
    assert complaint.replace("’", "&#x27;") in said(answer) or complaint in said(answer)
    assert TeamInvitation.objects.get().used_at is None
    assert User.objects.filter(username="eva").count() == 0


def test_a_scanner_of_mails_does_not_use_up_the_link(member_link):
    for _ in range(3):
        Client().get(member_link)

    assert Client().post(member_link, NEW).status_code == 302


def test_a_person_with_an_account_joins_with_it(member_link, team, ana):
    other = make_shared_task(ana, slug="other")
    sign_up = path_of(make_link(
        Team.objects.create(shared_task=other, name="Herons", name_key="herons"),
        by=ana, now=START,
    ))  # fmt: skip
    client = Client()
    client.post(sign_up, NEW)

    assert "You are signed in as eva" in said(client.get(member_link))
    assert client.post(member_link, {}).status_code == 422
    assert client.post(member_link, {"accepts": "on"}).url == "/tasks/gwsc/team/"

    assert {"Otters", "Herons"} <= set(
        said(client.get("/tasks/account/")).replace("<", ">").split(">")
    )
    assert User.objects.filter(limited_account__isnull=False).count() == 2


def test_a_researcher_joins_no_team(member_link, team, ana):
    client = client_of("ana")

    assert client.get(member_link).status_code == client.post(member_link, NEW).status_code == 403
    assert team.members.count() == 1
    assert TeamInvitation.objects.get().used_at is None


def test_a_link_that_ended_says_so(member_link, clock):
    clock.at += timedelta(days=14)

    answer = Client().get(member_link)

    assert answer.status_code == 410
    assert "no longer valid" in said(answer)
    assert Client().get("/tasks/invitation/nothing/").status_code == 410


def test_a_new_password_ends_other_sessions(team, ana, clock):
    other = client_of("otters")
    link = path_of(make_password_link(team.members.get(), by=ana, now=START))
    client = Client()

    assert "Choose a new password" in said(client.get(link))
    assert client.post(link, {"new_password1": "1234", "new_password2": "1234"}).status_code == 422
    assert client.post(link, {"new_password1": SECRET, "new_password2": SECRET}).status_code == 302

    assert client.get("/tasks/account/").status_code == 200
    assert other.get("/tasks/account/").status_code == 302
    assert enter(Client()).status_code == 302
    assert Client().get(link).status_code == 410


def test_a_participant_changes_the_password(team):
    give_password()
    client, other = Client(), client_of("otters")
    enter(client)
    new = {"new_password1": "another long horse", "new_password2": "another long horse"}

    assert client.post("/tasks/account/password/", {**new, "old_password": "no"}).status_code == 422
    changed = client.post("/tasks/account/password/", {**new, "old_password": SECRET})

    assert changed.url == "/tasks/account/"
    assert client.get("/tasks/account/").status_code == 200
    assert other.get("/tasks/account/").status_code == 302


def test_a_team_registers_and_waits(shared_task, clock):
    SharedTask.objects.update(registration=Registration.FORM)
    client = Client()

    assert "Register a team" in said(client.get("/tasks/gwsc/register/"))
    sent = {**NEW, "name": "Blue Herons", "contact": "eva@example.org"}
    assert client.post("/tasks/gwsc/register/", {**sent, "name": "human"}).status_code == 422
    assert client.post("/tasks/gwsc/register/", sent).url == "/tasks/gwsc/team/"

    assert "not accepted your team yet" in said(client.get("/tasks/gwsc/team/"))
    team = Team.objects.get()
    assert (team.name, team.state, team.contact) == (
        "Blue Herons", TeamState.PENDING, "eva@example.org"
    )  # fmt: skip


def test_a_participant_registers_another_team(shared_task, ana, team, leader, clock):
    make_shared_task(ana, slug="other", registration=Registration.FORM)

    sent = {"name": "Herons", "contact": "otters@example.org"}
    assert leader.post("/tasks/other/register/", sent).url == "/tasks/other/team/"

    assert leader.get("/tasks/other/team/").status_code == 200
    assert User.objects.count() == 2


def test_registration_is_closed_unless_switched_on(shared_task, ana):
    assert Client().get("/tasks/gwsc/register/").status_code == 404

    SharedTask.objects.update(registration=Registration.FORM)
    assert Client().get("/tasks/gwsc/register/").status_code == 200
    assert client_of("ana").post("/tasks/gwsc/register/", NEW).status_code == 403
    assert not Team.objects.exists()


def test_an_address_registers_twenty_teams_at_once_and_joins_more(shared_task, member_link):
    SharedTask.objects.update(registration=Registration.FORM)
    answers = []
    for n in range(21):
        sent = {**NEW, "username": f"eva{n}", "name": f"Team {n}", "contact": "eva"}
        answers.append(Client().post("/tasks/gwsc/register/", sent))

    assert [answer.status_code for answer in answers] == [302] * 20 + [422]
    assert "many registrations" in said(answers[-1])
    assert Team.objects.count() == 21
    assert Client().get(member_link).status_code == 200
    assert Client().post(member_link, {**NEW, "username": "ida"}).status_code == 302
