"""Who opens what: walks over all addresses of teams, the console, the admin and the API."""

import pytest
from django.contrib import admin
from django.contrib.admin.templatetags.admin_urls import admin_urlname
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.access.api_tokens import all_scopes, make_token
from surveys.access.roles import find_account, grant_role
from surveys.errors import AccessRefused
from surveys.models import ApiToken, Membership, Role
from surveys.sharedtasks.models import SharedTask, SharedTaskState
from surveys.sharedtasks.tasks import RESERVED
from surveys.sharedtasks.web.organisers.urls import urlpatterns as of_organisers
from surveys.sharedtasks.web.urls import OF_A_TEAM, urlpatterns
from surveys.web.admin.read_only import list_tables
from surveys.web.api.urls import urlpatterns as of_api
from surveys.web.console.urls import urlpatterns as of_console
from tests.factories.clients import client_of
from tests.factories.sharedtasks import make_shared_task, make_team
from tests.factories.studies import make_study
from tests.hostile import Attacker

pytestmark = pytest.mark.shared_task(has_data=False, has_organiser=True, terms="Be *fair*.")

OF_TEAMS = [one for one in urlpatterns if one.name in OF_A_TEAM]
SIGN_IN = "/tasks/sign-in/"


def list_addresses(patterns, namespace, **known):
    """Return the address of each URL, with 1 for arguments that are not known."""
    found = {}
    for one in patterns:
        values = {name: known.get(name, 1) for name in one.pattern.converters}
        found[one.name] = reverse(
            f"{namespace}:{one.name}" if namespace else one.name, kwargs=values
        )
    return found


def ask(addresses, client=None):
    """Return each page's answers to GET and POST, by name; what they store is rolled back."""
    attacker = Attacker(sessionid=client.session.session_key) if client else Attacker()
    return {
        name: [attacker.get(address, {}), attacker.post(address, {})]
        for name, address in addresses.items()
    }


def statuses(found):
    return {answer.status_code for both in found.values() for answer in both}


def test_pages_of_teams_lead_to_the_sign_in_page(shared_task, team):
    found = ask(list_addresses(OF_TEAMS, "sharedtasks", slug="gwsc"))

    answers = [answer for both in found.values() for answer in both]
    assert statuses(found) <= {302, 405}
    assert all(one["Location"].startswith(SIGN_IN) for one in answers if one.status_code == 302)
    assert len(found) >= 10


def test_pages_of_teams_are_not_found_by_other_teams(shared_task, team):
    make_team(make_shared_task(slug="other"), "Herons")

    found = ask(list_addresses(OF_TEAMS, "sharedtasks", slug="gwsc"), client_of("herons"))

    assert statuses(found) <= {404, 405}


@pytest.mark.parametrize("is_operator", [False, True])
def test_pages_of_teams_refuse_researchers(shared_task, team, ana, is_operator):
    User.objects.filter(pk=ana.pk).update(is_superuser=is_operator, is_staff=is_operator)

    found = ask(list_addresses(OF_TEAMS, "sharedtasks", slug="gwsc"), client_of("ana"))

    assert statuses(found) <= {403, 405}


def test_a_draft_is_not_found_by_its_own_teams(shared_task, team, leader):
    SharedTask.objects.update(state=SharedTaskState.DRAFT)

    found = ask(list_addresses(OF_TEAMS, "sharedtasks", slug="gwsc"), leader)

    assert statuses(found) <= {404, 405}
    assert leader.get("/tasks/gwsc/").status_code == 404


def test_no_page_of_a_team_fails_on_an_empty_request(shared_task, team, leader, clock):
    found = ask(list_addresses(OF_TEAMS, "sharedtasks", slug="gwsc"), leader)

    assert max(statuses(found)) < 500


def test_pages_of_teams_are_not_cached(shared_task, team, leader):
    assert "no-store" in leader.get("/tasks/gwsc/team/")["Cache-Control"]


def test_the_console_refuses_participants_at_every_address(team, leader):
    addresses = list_addresses(of_console, "console", slug=make_study(1).slug)
    of_tasks = list_addresses(of_organisers, "organisers", slug="gwsc")

    found = ask(addresses | {f"organisers {name}": one for name, one in of_tasks.items()}, leader)

    assert statuses(found) == {403}
    assert len(found) > 170
    assert "for researchers" in leader.get("/console/").content.decode()
    assert leader.get("/console/nothing/").status_code == 404  # there is nothing to open


def test_the_admin_refuses_participants_even_with_rights_of_staff(team, leader):
    User.objects.filter(username="otters").update(is_staff=True, is_superuser=True)
    addresses = {
        model.__name__: reverse(admin_urlname(model._meta, "changelist"))
        for model in list_tables("surveys")
        if admin.site.is_registered(model)
    }
    addresses |= {"index": "/admin/", "sign-in": "/admin/login/", "nothing": "/admin/nothing/"}

    assert statuses(ask(addresses, leader)) == {403}


def test_the_api_refuses_tokens_of_participants_but_for_shared_tasks(team):
    token, key = make_token(User.objects.get(username="otters"), "all", ["sharedtasks:read"])
    ApiToken.objects.filter(pk=token.pk).update(
        scopes=list(all_scopes())
    )  # the site makes none such
    open_to_them = {
        "shared_tasks", "shared_task", "boards", "board", "submissions", "submission",
        "submission_choice", "submission_withdrawal",
    }  # fmt: skip
    without = {"reference", "schema", "not_found"} | open_to_them
    views = [one for one in of_api if one.name not in without]
    client, headers = Client(), {"Authorization": f"Bearer {key}"}

    found = {
        (name, method): client.generic(method, address, headers=headers).status_code
        for name, address in list_addresses(views, "api", slug=make_study(1).slug).items()
        for method in ("GET", "POST", "PATCH", "DELETE")
    }

    assert set(found.values()) == {403}
    assert len(found) > 100


def test_a_participant_gets_no_role_in_a_study(team):
    user = User.objects.get(username="otters")

    with pytest.raises(AccessRefused, match="is a limited account"):
        grant_role(make_study(1), user, Role.OWNER)
    with pytest.raises(AccessRefused, match="No account"):
        find_account("otters")

    assert not Membership.objects.exists()


def test_no_shared_task_has_the_address_of_another_page():
    first = {str(one.pattern).split("/")[0] for one in urlpatterns}

    assert {name for name in first if name and "<" not in name} <= RESERVED
