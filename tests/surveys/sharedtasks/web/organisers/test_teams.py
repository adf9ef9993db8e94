"""The organisers' pages of teams: invitations, links shown once, members, acceptance."""

import re

import pytest

from surveys.sharedtasks.models import Team, TeamInvitation, TeamMember
from tests.factories.organised import NOW, page
from tests.factories.sharedtasks import make_phase, make_shared_task, make_team

pytestmark = pytest.mark.shared_task(
    has_data=False, has_organiser=True, zone="UTC", text="Predict.", terms="Be fair."
)

LINK = re.compile(r'value="(http[^"]+/invitation/[^"]+/)"')


def test_a_team_is_invited_and_its_link_shown_once(as_ana, shared_task):
    answer = as_ana.post(page("invite_team"), {"name": "Otters"})

    assert len(LINK.findall(answer.text)) == 1
    team = Team.objects.get()
    assert (team.name, team.state) == ("Otters", "accepted")
    invitation = TeamInvitation.objects.get()
    assert (invitation.is_captain, invitation.digest in answer.text) == (True, False)
    for name, values in (("teams", ()), ("team", (team.pk,)), ("log", ())):
        assert "/invitation/" not in as_ana.get(page(name, *values)).text


@pytest.mark.parametrize("name", ["O", "human", "otters"])
def test_names_that_are_not_possible_are_refused(as_ana, shared_task, team, name):
    answer = as_ana.post(page("invite_team"), {"name": name})

    assert (answer.status_code, Team.objects.count()) == (422, 1)


def test_teams_of_a_draft_are_not_invited(as_ana, own_draft):
    assert as_ana.post(page("invite_team"), {"name": "Otters"}).status_code == 422
    assert page("invite_team") not in as_ana.get(page("teams")).text


def test_the_list_shows_members_and_contacts_to_organisers(as_ana, shared_task, team):
    Team.objects.update(contact="otters@example.org")

    shown = as_ana.get(page("teams")).text

    assert "otters@example.org" in shown
    assert "otters\n" in shown or "otters" in shown
    assert page("team", team.pk) in shown


def test_teams_that_wait_are_listed_first(as_ana, shared_task, team):
    make_team(shared_task, "Badgers", state="withdrawn")
    make_team(shared_task, "Zebras", state="pending")

    shown = as_ana.get(page("teams")).text

    assert shown.index("Zebras") < shown.index("Badgers") < shown.index("Otters")


def test_a_team_that_registered_is_accepted_or_declined(as_ana, shared_task):
    first = make_team(shared_task, "Otters", state="pending")
    second = make_team(shared_task, "Badgers", state="pending")
    assert "2 teams wait to be accepted" in as_ana.get(page("overview")).text

    assert as_ana.post(page("accept_team", first.pk)).url == page("teams")
    assert "is deleted" in as_ana.get(page("decline_team", second.pk)).text
    as_ana.post(page("decline_team", second.pk))

    assert [(team.name, team.state) for team in Team.objects.all()] == [("Otters", "accepted")]
    assert as_ana.post(page("decline_team", first.pk)).status_code == 409


def test_links_for_captains_and_passwords_are_made_and_taken_back(as_ana, shared_task, team):
    member = team.members.get()
    assert as_ana.get(page("link_team", team.pk)).status_code == 200
    assert LINK.search(as_ana.post(page("link_team", team.pk)).text)
    assert as_ana.get(page("password_link", member.pk)).status_code == 200
    assert LINK.search(as_ana.post(page("password_link", member.pk)).text)

    shown = as_ana.get(page("team", team.pk)).text
    for link in TeamInvitation.objects.all():
        assert page("revoke_link", link.pk) in shown
        assert as_ana.get(page("revoke_link", link.pk)).status_code == 200
        as_ana.post(page("revoke_link", link.pk))

    assert TeamInvitation.objects.valid(NOW).count() == 0


def test_a_member_is_removed(as_ana, shared_task, team):
    member = team.members.get()

    assert "can join another team" in as_ana.get(page("remove_member", member.pk)).text
    assert as_ana.post(page("remove_member", member.pk)).url == page("team", team.pk)

    assert not TeamMember.objects.exists()


@pytest.mark.parametrize("name", ["team", "link_team", "accept_team", "decline_team"])
def test_teams_of_other_shared_tasks_are_not_found(as_ana, shared_task, name):
    other = make_team(make_shared_task(slug="other"), "Badgers", state="pending")

    statuses = {as_ana.get(page(name, other.pk)).status_code,
                as_ana.post(page(name, other.pk)).status_code}  # fmt: skip

    assert statuses <= {404, 405}
    other.refresh_from_db()
    assert other.state == "pending"


@pytest.mark.parametrize("name", ["password_link", "remove_member"])
def test_members_of_other_shared_tasks_are_not_found(as_ana, shared_task, name):
    member = make_team(make_shared_task(slug="other"), "Badgers").members.get()

    assert as_ana.get(page(name, member.pk)).status_code == 404
    assert as_ana.post(page(name, member.pk)).status_code == 404


def test_a_team_is_excluded_with_a_reason_and_accepted_again(as_ana, shared_task, team):
    assert "is on no board" in as_ana.get(page("exclude_team", team.pk)).text
    assert as_ana.post(page("exclude_team", team.pk), {"reason": " "}).status_code == 422
    as_ana.post(page("exclude_team", team.pk), {"reason": "two accounts"})

    team.refresh_from_db()
    assert (team.state, team.state_reason) == ("excluded", "two accounts")
    assert page("readmit_team", team.pk) in as_ana.get(page("team", team.pk)).text
    as_ana.post(page("readmit_team", team.pk))
    team.refresh_from_db()
    assert team.state == "accepted"


def test_organisers_read_what_a_team_says_of_its_system(as_ana, shared_task, team):
    Team.objects.update(
        summary="An *encoder* [here](https://example.org/x).", paper_url="https://example.org/paper"
    )

    shown = as_ana.get(page("team", team.pk)).text

    assert "An <em>encoder</em>" in shown
    assert shown.count('rel="nofollow noopener"') == 2


def test_what_cannot_be_done_leads_back_to_the_shared_task(as_ana, shared_task, team):
    answer = as_ana.post(page("decline_team", team.pk))

    assert answer.status_code == 409
    assert f'href="{page("overview")}"' in answer.text


def test_a_team_gets_more_attempts(as_ana, shared_task, team):
    phase = make_phase(shared_task)
    sent = {"phase": phase.pk, "n_attempts": "2", "reason": "the site was down"}

    assert as_ana.get(page("allow_attempts", team.pk)).status_code == 200
    assert as_ana.post(page("allow_attempts", team.pk), sent).url == page("team", team.pk)

    assert "the site was down" in as_ana.get(page("team", team.pk)).text
    other = make_phase(make_shared_task(slug="other"))
    refused = as_ana.post(page("allow_attempts", team.pk), {**sent, "phase": other.pk})
    assert refused.status_code == 422


def test_two_teams_are_merged(as_ana, shared_task, team):
    into = make_team(shared_task, "Herons")
    elsewhere = make_team(make_shared_task(slug="other"), "Badgers")
    sent = {"into": into.pk, "reason": "one laboratory"}
    refused = as_ana.post(page("merge_team", team.pk), {**sent, "into": elsewhere.pk})
    assert refused.status_code == 422

    assert as_ana.post(page("merge_team", team.pk), sent).url == page("teams")

    team.refresh_from_db()
    assert (team.state, team.merged_into, into.members.count()) == ("merged", into, 2)
    for address in (page("team", team.pk), page("teams")):
        assert "Merged into <bdi>Herons</bdi>" in " ".join(as_ana.get(address).text.split())
    reader = into.members.first().participant.user
    as_ana.force_login(reader)
    told = as_ana.get("/tasks/gwsc/team/").text
    assert f"The organisers have merged {team.name} into your team" in told
    assert "one laboratory" in told
