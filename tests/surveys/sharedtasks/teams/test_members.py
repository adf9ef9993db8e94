from datetime import timedelta

import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import SharedTaskState, TeamMember, TeamState
from surveys.sharedtasks.teams.members import (
    find_membership,
    make_captain,
    remove_member,
    remove_teammate,
)
from tests.factories.sharedtasks import (
    START,
    make_phase,
    make_shared_task,
    make_team,
)

pytestmark = pytest.mark.django_db

BEFORE = START - timedelta(days=1)


def names(team):
    return set(team.members.values_list("participant__user__username", flat=True))


def test_a_captain_removes_a_member(captain, member):
    remove_teammate(captain, member, now=BEFORE)

    assert names(captain.team) == {"otters"}
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.details) == ("team.member_removed", {"member": "eva"})


def test_a_member_removes_nobody(captain, member):
    with pytest.raises(TeamRefused, match="Only a captain"):
        remove_teammate(member, captain, now=BEFORE)

    assert names(captain.team) == {"otters", "eva"}


def test_the_only_captain_stays(captain, member):
    with pytest.raises(TeamRefused, match="only captain"):
        remove_teammate(captain, captain, now=BEFORE)

    make_captain(captain, member, now=BEFORE)
    make_captain(captain, member, now=BEFORE)
    remove_teammate(captain, captain, now=BEFORE)

    assert [
        (one.participant.user.username, one.is_captain) for one in captain.team.members.all()
    ] == [("eva", True)]
    assert AuditEntry.objects.filter(action="team.captain_made").count() == 1


def test_members_stay_once_test_data_are_open(captain, member):
    make_phase(captain.shared_task)

    for change in (remove_teammate, make_captain):
        with pytest.raises(TeamRefused, match="only the organisers"):
            change(captain, member, now=START)

    assert names(captain.team) == {"otters", "eva"}
    remove_member(member)
    remove_member(member)
    assert names(captain.team) == {"otters"}


@pytest.mark.parametrize("state", [TeamState.EXCLUDED, TeamState.WITHDRAWN])
def test_a_team_that_is_out_stays_as_it_is(captain, member, state):
    captain.team.state = state
    captain.team.save()

    with pytest.raises(TeamRefused, match=f"The team is {state}"):
        remove_teammate(captain, member, now=BEFORE)

    assert names(captain.team) == {"otters", "eva"}


def test_find_membership_is_of_one_person_in_one_shared_task(captain, member):
    other = make_team(make_shared_task(slug="other"), "Herons").members.get()

    assert find_membership("gwsc", member.participant.user) == member
    assert find_membership("gwsc", other.participant.user) is None
    assert find_membership("other", member.participant.user) is None
    assert find_membership("none", member.participant.user) is None


def test_find_membership_finds_none_in_a_draft():
    draft = make_shared_task(state=SharedTaskState.DRAFT, opened_at=None)
    member = make_team(draft).members.get()

    assert find_membership("gwsc", member.participant.user) is None
    assert TeamMember.objects.exists()
