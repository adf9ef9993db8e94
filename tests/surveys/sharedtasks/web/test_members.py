"""The pages of members, terms and the description."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from surveys.sharedtasks.models import Team, TeamInvitation, TeamState
from surveys.sharedtasks.teams.members import add_member
from tests.factories.clients import client_of
from tests.factories.sharedtasks import make_participant, make_shared_task, make_team
from tests.surveys.sharedtasks.web.test_accounts import NEW, path_of, said

pytestmark = pytest.mark.shared_task(has_data=False, has_organiser=True, terms="Be *fair*.")

HOME = "/tasks/gwsc/team/"
DESCRIBED = {
    "system": "Beaver 2", "summary": "*Layer* 17 <b>", "models_used": "xlm-roberta-large",
    "resources": "none", "contact": "eva@example.org", "publishes_scores": "on",
    "paper_url": "", "code_url": "https://example.org/code", "hides_name": "False",
}  # fmt: skip


def test_a_captain_makes_a_link_that_is_shown_once(team, leader, clock):
    answer = leader.post(f"{HOME}members/links/")

    shown = said(answer).partition('class="link-shown">')[2].partition("<")[0]
    assert "/tasks/invitation/" in shown
    assert shown not in said(leader.get(f"{HOME}members/"))
    assert Client().post(path_of(shown), NEW).url == HOME


def test_a_captain_takes_a_link_back(team, leader, clock):
    leader.post(f"{HOME}members/links/")
    link = TeamInvitation.objects.get()

    assert leader.post(f"{HOME}members/links/{link.pk}/revoke/").url == f"{HOME}members/"

    link.refresh_from_db()
    assert link.revoked_at == clock.at


def test_a_member_changes_nothing(team, member, clock):
    client = client_of("eva")
    captain = team.members.get(is_captain=True)

    refused = client.post(f"{HOME}members/links/")
    assert (refused.status_code, f'href="{HOME}"' in refused.text) == (409, True)
    assert client.post(f"{HOME}members/{captain.pk}/remove/").status_code == 409
    assert client.post(f"{HOME}members/{member.pk}/captain/").status_code == 409
    assert client.post(f"{HOME}name/", {"name": "Herons"}).status_code == 409
    client.post(f"{HOME}withdraw/")

    team.refresh_from_db()
    assert (team.name, team.state, team.members.count()) == ("Otters", TeamState.ACCEPTED, 2)
    assert not TeamInvitation.objects.exists()
    assert not team.members.filter(is_captain=True).exclude(pk=captain.pk).exists()


def test_a_captain_removes_a_member_after_a_question(team, member, leader, clock):
    page = f"{HOME}members/{member.pk}/remove/"

    assert "Remove eva" in said(leader.get(page))
    assert team.members.count() == 2
    assert leader.post(page).url == f"{HOME}members/"

    assert team.members.count() == 1
    assert client_of("eva").get(HOME).status_code == 404


def test_members_and_links_of_another_team_are_not_found(team, leader, ana, clock):
    other = make_team(team.shared_task, "Herons")
    herons = client_of("herons")
    herons.post(f"{HOME}members/links/")
    link, them = TeamInvitation.objects.get(), other.members.get()

    answers = [
        leader.post(f"{HOME}members/links/{link.pk}/revoke/"),
        leader.post(f"{HOME}members/{them.pk}/captain/"),
        leader.post(f"{HOME}members/{them.pk}/remove/"),
    ]

    assert [answer.status_code for answer in answers] == [404] * 3
    assert TeamInvitation.objects.get().revoked_at is None
    assert other.members.exists()


def test_after_the_test_data_are_out_members_stay(team, member, leader, phase, clock):
    assert "only the organisers change" in said(leader.get(f"{HOME}members/"))
    assert leader.post(f"{HOME}members/links/").status_code == 409
    assert leader.post(f"{HOME}members/{member.pk}/remove/").status_code == 409

    assert team.members.count() == 2


def test_a_captain_renames_the_team(team, leader, clock):
    assert leader.post(f"{HOME}name/", {"name": "a\u202eb"}).status_code == 422
    assert leader.post(f"{HOME}name/", {"name": "Sea  Otters"}).url == f"{HOME}members/"

    assert Team.objects.get().name == "Sea Otters"


def test_names_are_escaped(team, leader, clock):
    leader.post(f"{HOME}name/", {"name": "<script>alert(1)"})

    for page in ("", "members/", "description/", "terms/", "withdraw/"):
        assert "<script>alert" not in said(leader.get(f"{HOME}{page}"))


def test_a_team_describes_its_system_step_by_step(team, leader, clock):
    page = f"{HOME}description/"

    assert "Still missing: the name of the system" in said(leader.get(page))
    assert leader.post(page, {"system": "Beaver", "hides_name": "True"}).url == page
    assert "Still missing: what the system does" in said(leader.get(page))
    assert leader.post(page, DESCRIBED).url == page

    team.refresh_from_db()
    assert (team.described_at, team.hides_name) == (clock.at, False)
    shown = said(leader.get(page))
    assert "is complete" in shown
    assert "<em>Layer</em> 17 &lt;b&gt;" in shown


@pytest.mark.parametrize(
    "address", ["http://example.org", "javascript:alert(1)", "ftp://example.org", "nothing at all"]
)
def test_links_are_https(team, leader, address):
    answer = leader.post(f"{HOME}description/", DESCRIBED | {"code_url": address})

    assert answer.status_code == 422
    assert "begins with https://" in said(answer)
    assert Team.objects.get().system == ""


def test_an_address_without_a_scheme_is_taken_for_https(team, leader):
    leader.post(f"{HOME}description/", DESCRIBED | {"paper_url": "example.org/paper.pdf"})

    assert Team.objects.get().paper_url == "https://example.org/paper.pdf"


def test_a_final_description_is_shown_and_stays(team, leader, clock):
    leader.post(f"{HOME}description/", DESCRIBED)
    team.shared_task.state = "finalised"
    team.shared_task.save()

    shown = said(leader.get(f"{HOME}description/"))
    changed = leader.post(f"{HOME}description/", DESCRIBED | {"system": "Other"})

    assert "can no longer be changed" in shown
    assert 'href="https://example.org/code" rel="nofollow noopener"' in shown
    assert changed.status_code == 422
    assert Team.objects.get().system == "Beaver 2"


def test_terms_that_changed_are_accepted_anew(team, leader, clock):
    assert leader.post(f"{HOME}terms/", {"accepts": "on"}).url == HOME
    assert "Your team accepted these terms" in said(leader.get(f"{HOME}terms/"))

    team.shared_task.terms = "Be very fair."
    team.shared_task.save()

    assert "have changed" in said(leader.get(f"{HOME}terms/"))
    assert leader.post(f"{HOME}terms/", {}).status_code == 422


def test_a_captain_withdraws_the_team(team, leader, clock):
    assert "cannot be undone" in said(leader.get(f"{HOME}withdraw/"))
    assert leader.post(f"{HOME}withdraw/", {"hides_name": "on"}).url == HOME

    team.refresh_from_db()
    assert (team.state, team.hides_name) == (TeamState.WITHDRAWN, True)
    assert "Your team has withdrawn" in said(leader.get(HOME))


def test_an_excluded_team_reads_why(team, leader):
    Team.objects.update(state=TeamState.EXCLUDED, state_reason="Two teams of one group.")

    shown = said(leader.get(HOME))

    assert "have excluded your team" in shown
    assert "Two teams of one group." in shown


def test_the_number_of_queries_is_equal_for_one_member_and_four(team, leader, clock):
    counts = []
    for n in range(4):
        leader.post(f"{HOME}members/links/")
        with CaptureQueriesContext(connection) as asked:
            leader.get(f"{HOME}members/")
        counts.append(len(asked))
        participant = make_participant(User.objects.create_user(f"member {n}"))
        add_member(team, participant, is_captain=False)

    assert counts == counts[:1] * 4
    assert counts[0] <= 10


def test_the_number_of_queries_is_equal_for_one_team_and_three(team, leader, ana):
    counts = []
    for n in range(3):
        with CaptureQueriesContext(connection) as asked:
            leader.get("/tasks/account/")
        counts.append(len(asked))
        other = make_team(make_shared_task(slug=f"other-{n}"), f"Herons {n}")
        add_member(other, team.members.get().participant, is_captain=False)

    assert counts == counts[:1] * 3
