"""The page on which a participant creates and revokes tokens for her programs."""

from datetime import timedelta

import lxml.html
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from surveys.access.api_tokens import all_scopes, find_token, make_token
from surveys.errors import TokenRefused
from surveys.models import ApiToken, AuditEntry
from surveys.sharedtasks.teams.description import accept_terms
from tests.factories.clients import client_of
from tests.factories.sharedtasks import START, make_team
from tests.surveys.sharedtasks.web.test_accounts import said

pytestmark = pytest.mark.shared_task(has_data=False, has_organiser=True, terms="Be *fair*.")

PAGE = "/tasks/account/tokens/"
OFFERED = ["sharedtasks:read", "sharedtasks:write"]
ASKED = {"name": "nightly", "scopes": ["sharedtasks:write"]}


def create(client, **more):
    """Create a token on the page; return its key."""
    answer = client.post(PAGE, {**ASKED, **more})
    assert answer.status_code == 200
    return lxml.html.fromstring(answer.content).get_element_by_id("key").get("value")


def test_a_token_is_created_and_its_key_shown_once(leader):
    key = create(leader)

    token = find_token(key)
    assert (token.user.username, token.name, token.scopes) == (
        "otters", "nightly", ["sharedtasks:write"],
    )  # fmt: skip
    shown = said(leader.get(PAGE))
    assert key not in shown
    assert "nightly" in shown
    assert "sharedtasks:write" in shown
    assert AuditEntry.objects.get(action="token.made").actor == "otters"


def test_the_page_shows_last_use_and_end(leader):
    create(leader, last_day="2999-12-31")
    token = ApiToken.objects.get()
    assert "never" in said(leader.get(PAGE))

    ApiToken.objects.update(last_used_at="2027-01-02T03:04:00Z")

    shown = said(leader.get(PAGE))
    assert "2 January 2027, 03:04" in shown.replace("\xa0", " ")
    assert "31 December 2999" in shown.replace("\xa0", " ")
    assert token.expires_at.year == 2999


def test_only_the_scopes_of_shared_tasks_are_offered(leader):
    boxes = lxml.html.fromstring(leader.get(PAGE).content).xpath("//input[@name='scopes']/@value")

    assert boxes == OFFERED
    for scope in all_scopes().keys() - {*OFFERED}:
        assert leader.post(PAGE, ASKED | {"scopes": [scope]}).status_code == 422
    assert not ApiToken.objects.exists()


def test_no_way_leads_to_a_participants_token_with_other_scopes(team):
    with pytest.raises(TokenRefused, match="No such scope: studies:read"):
        make_token(User.objects.get(username="otters"), "all", ["sharedtasks:read", "studies:read"])
    with pytest.raises(CommandError, match="No such scope: runs:write"):
        call_command("make_token", "otters", "all", "--scope", "runs:write")

    assert not ApiToken.objects.exists()


def test_a_token_is_revoked_by_its_person_alone(leader, shared_task):
    key = create(leader)
    address = f"{PAGE}{ApiToken.objects.get().pk}/revoke/"
    make_team(shared_task, "Herons")

    assert client_of("herons").get(address).status_code == 404
    assert client_of("herons").post(address).status_code == 404
    assert "nightly" in said(leader.get(address))
    assert find_token(key) is not None
    assert leader.post(address).url == PAGE

    assert find_token(key) is None
    assert "nightly" not in said(leader.get(PAGE))


def test_an_expired_token_is_marked(leader):
    create(leader, last_day="2999-12-31")
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(days=1))

    assert "Expired" in said(leader.get(PAGE))


def test_the_page_is_linked_where_members_submit_and_in_their_account(leader, team, phase, clock):
    accept_terms(team, now=START)

    assert PAGE in said(leader.get("/tasks/account/"))
    assert PAGE in said(leader.get("/tasks/gwsc/team/submit/"))
