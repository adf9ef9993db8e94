"""What organisers decide about teams, and what they submit themselves."""

from datetime import timedelta

import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import Allowance, Team, TeamInvitation
from surveys.sharedtasks.submissions import choose_submission
from surveys.sharedtasks.teams.attempts import count_attempts
from surveys.sharedtasks.teams.decisions import (
    allow_attempts,
    exclude_team,
    merge_teams,
    readmit_team,
)
from surveys.sharedtasks.teams.organisers_team import submit_for_organisers
from tests.factories.sharedtasks import (
    START,
    make_phase,
    make_team,
    predictions,
    result_file,
    score_all,
    send,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,
    pytest.mark.shared_task(zone="UTC"),
]
DAY = timedelta(days=1)


@pytest.fixture
def four_tries(shared_task):
    return make_phase(shared_task, attempts_total=4)


@pytest.fixture
def otters(shared_task):
    return make_team(shared_task)


def actions(shared_task):
    return list(AuditEntry.objects.filter(scope=shared_task.scope).values_list("action", flat=True))


def test_more_attempts_add_up(shared_task, four_tries, otters):
    allow_attempts(otters, four_tries, 2, "an outage")
    allowance = allow_attempts(otters, four_tries, 1, "another one")

    assert (allowance.n_attempts, allowance.reason) == (3, "another one")
    assert count_attempts(otters, four_tries, START).limit == 7
    assert actions(shared_task) == ["team.attempts_allowed"] * 2


@pytest.mark.parametrize(("n", "reason"), [(0, "a reason"), (1_001, "a reason"), (1, " ")])
def test_attempts_are_not_given_without_reason_or_number(four_tries, otters, n, reason):
    with pytest.raises(SharedTaskRefused):
        allow_attempts(otters, four_tries, n, reason)

    assert not Allowance.objects.exists()


def test_a_team_is_excluded_with_a_reason_and_accepted_again(shared_task, four_tries, otters):
    with pytest.raises(SharedTaskRefused, match="Write why"):
        exclude_team(otters, "")
    excluded = exclude_team(otters, "two accounts")

    assert (excluded.state, excluded.state_reason) == ("excluded", "two accounts")
    assert exclude_team(otters, "").state_reason == "two accounts"
    assert (readmit_team(otters).state, readmit_team(otters).state_reason) == ("accepted", "")
    assert actions(shared_task) == ["team.readmitted", "team.excluded"]


def test_merged_teams_have_all_submissions_and_attempts(shared_task, four_tries, otters, herons):
    first = send(herons, four_tries, now=START)
    send(otters, four_tries, seed=2)
    moved = send(otters, four_tries, seed=3)
    choose_submission(moved, 1, START)
    score_all()
    allow_attempts(otters, four_tries, 1, "an outage")
    TeamInvitation.objects.create(team=otters, digest="a" * 64, expires_at=START + DAY)

    into = merge_teams(otters, herons, "one group", now=START)

    otters.refresh_from_db()
    assert (otters.state, otters.merged_into) == ("merged", into)
    assert list(into.submissions.order_by("number").values_list("number", flat=True)) == [1, 2, 3]
    assert into.submissions.get(number=1) == first
    assert count_attempts(into, four_tries, START)[:2] == (3, 5)
    assert into.members.count() == 2
    assert not TeamInvitation.objects.valid(START).exists()
    assert not otters.counted_submissions.exists()
    assert into.counted_submissions.get().submission == moved
    assert actions(shared_task)[0] == "team.merged"


def test_teams_with_too_many_attempts_together_are_not_merged(four_tries, otters, herons):
    for seed in (1, 2, 3):
        send(otters, four_tries, seed=seed)
    for seed in (4, 5):
        send(herons, four_tries, seed=seed)

    with pytest.raises(SharedTaskRefused, match="have 5 attempts in evaluation"):
        merge_teams(otters, herons, "one group", now=START)

    otters.refresh_from_db()
    assert (otters.state, otters.submissions.count()) == ("accepted", 3)
    allow_attempts(herons, four_tries, 1, "for merging")
    assert merge_teams(otters, herons, "one group", now=START).submissions.count() == 5


def test_attempts_of_a_day_add_up_as_well(shared_task, otters, herons):
    phase = make_phase(shared_task, attempts_total=None, attempts_a_day=1)
    send(otters, phase)
    send(herons, phase, seed=2)

    with pytest.raises(SharedTaskRefused, match="2 attempts on one day"):
        merge_teams(otters, herons, "one group", now=START)


def test_the_same_predictions_of_merged_teams_are_one_attempt(four_tries, otters, herons):
    send(otters, four_tries)
    send(herons, four_tries)

    into = merge_teams(otters, herons, "one group", now=START)

    assert count_attempts(into, four_tries, START).n_used == 1
    assert into.submissions.get(number=2).state == "cancelled"


def test_a_team_is_not_merged_with_itself_or_an_excluded_one(shared_task, otters, herons):
    exclude_team(herons, "two accounts")

    for other in (otters, herons):
        with pytest.raises(SharedTaskRefused):
            merge_teams(otters, other, "one group", now=START)


def test_trial_runs_are_unlimited_and_never_attempts_of_a_team(shared_task, four_tries):
    for seed in range(6):
        files = [result_file([seed, *predictions()[1:]])]
        submission = submit_for_organisers(shared_task, four_tries, files, by=None, now=START - DAY)

    assert (submission.team.kind, submission.number) == ("trial", 6)


def test_an_own_team_does_not_take_the_name_of_a_team(shared_task, four_tries, otters):
    with pytest.raises(SharedTaskRefused, match="A team has the name otters"):
        submit_for_organisers(
            shared_task,
            four_tries,
            [result_file(predictions())],
            by=None,
            now=START,
            baseline="otters",
        )


@pytest.mark.parametrize("name", ["human", "Score ceiling", "best without context", "a\u202eb"])
def test_a_baseline_has_a_name_that_no_other_row_has(shared_task, four_tries, name):
    files = [result_file(predictions(1))]

    with pytest.raises(SharedTaskRefused, match=r"row of boards|cannot be seen"):
        submit_for_organisers(shared_task, four_tries, files, by=None, now=START, baseline=name)

    assert not Team.objects.filter(kind="baseline").exists()
    assert submit_for_organisers(
        shared_task, four_tries, files, by=None, now=START, baseline="constant"
    ).pk
