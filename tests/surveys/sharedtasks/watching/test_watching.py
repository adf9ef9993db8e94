"""What organisers see of teams and decide about them."""

from datetime import date, timedelta

import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.attempts import count_attempts
from surveys.sharedtasks.errors import SharedTaskRefused, UploadRefused
from surveys.sharedtasks.models import Allowance, Submission, Team, TeamInvitation
from surveys.sharedtasks.submissions import cancel_submission, choose_submission
from surveys.sharedtasks.uploads import check_files
from surveys.sharedtasks.watching.alike import flag_alike_teams
from surveys.sharedtasks.watching.counts import count_by_day, count_refusals
from surveys.sharedtasks.watching.decisions import (
    allow_attempts,
    exclude_team,
    merge_teams,
    readmit_team,
)
from surveys.sharedtasks.watching.own import send_own
from tests.factories.sharedtasks import (
    START,
    make_data,
    make_phase,
    make_shared_task,
    make_team,
    predictions,
    result_file,
    score_all,
    send,
)

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
DAY = timedelta(days=1)


@pytest.fixture
def shared_task():
    shared_task = make_shared_task(zone="UTC")
    make_data(shared_task)
    return shared_task


@pytest.fixture
def phase(shared_task):
    return make_phase(shared_task, attempts_total=4)


@pytest.fixture
def otters(shared_task):
    return make_team(shared_task)


@pytest.fixture
def herons(shared_task):
    return make_team(shared_task, "Herons")


def actions(shared_task):
    return list(AuditEntry.objects.filter(scope=shared_task.scope).values_list("action", flat=True))


def test_submissions_are_counted_by_team_and_day(shared_task, phase, otters, herons):
    send(otters, phase)
    cancel_submission(send(otters, phase, seed=2, now=START + DAY), "a fault")
    send(herons, phase)

    rows = count_by_day(shared_task, 9)

    assert [(row.team, row.by_day, row.n_sent, row.n_attempts) for row in rows] == [
        ("Otters", {date(2027, 1, 1): 1, date(2027, 1, 2): 1}, 2, 1),
        ("Herons", {date(2027, 1, 1): 1}, 1, 1),
    ]
    assert count_by_day(shared_task, 1) == rows[:1]


def test_counting_takes_as_many_queries_for_more_teams(
    shared_task, phase, otters, herons, django_assert_max_num_queries
):
    for team in (otters, herons):
        send(team, phase)

    with django_assert_max_num_queries(3):
        count_by_day(shared_task, 9)


def test_refusals_are_counted_by_reason(shared_task, phase, otters):
    for numbers in ([1, 2], [1, 2, 3], ["0,5"] * 12):
        with pytest.raises(UploadRefused):
            check_files(otters, phase, [result_file_of(numbers)], by=None, now=START)

    found = dict(count_refusals(shared_task))

    assert found["… rows, wanted …; write one for each pair of the data file, in its order"] == 2
    assert sum(found.values()) == 3


def result_file_of(texts):
    content = "\n".join(["change", *map(str, texts)]) + "\n"
    return "results_subtask1_sl.tsv", content.encode()


def test_teams_that_are_almost_the_same_are_flagged_once(shared_task, phase, otters, herons):
    numbers = predictions()
    send(otters, phase)
    send(herons, phase, [result_file([2 * x + 1 for x in numbers])])
    other = send(make_team(shared_task, "Newts"), phase, seed=4)
    score_all()

    assert [flag_alike_teams(phase), flag_alike_teams(phase)] == [2, 2]

    flagged = Submission.objects.exclude(flags=[])
    flags = {one.team.name: [flag["other"] for flag in one.flags] for one in flagged}
    assert flags == {"Otters": ["Herons"], "Herons": ["Otters"]}
    assert other not in flagged


def test_more_attempts_add_up(shared_task, phase, otters):
    allow_attempts(otters, phase, 2, "an outage")
    allowance = allow_attempts(otters, phase, 1, "another one")

    assert (allowance.n_attempts, allowance.reason) == (3, "another one")
    assert count_attempts(otters, phase, START).limit == 7
    assert actions(shared_task) == ["team.attempts_allowed"] * 2


@pytest.mark.parametrize(("n", "reason"), [(0, "a reason"), (1_001, "a reason"), (1, " ")])
def test_attempts_are_not_given_without_reason_or_number(phase, otters, n, reason):
    with pytest.raises(SharedTaskRefused):
        allow_attempts(otters, phase, n, reason)

    assert not Allowance.objects.exists()


def test_a_team_is_excluded_with_a_reason_and_accepted_again(shared_task, phase, otters):
    with pytest.raises(SharedTaskRefused, match="Write why"):
        exclude_team(otters, "")
    excluded = exclude_team(otters, "two accounts")

    assert (excluded.state, excluded.state_reason) == ("excluded", "two accounts")
    assert exclude_team(otters, "").state_reason == "two accounts"
    assert (readmit_team(otters).state, readmit_team(otters).state_reason) == ("accepted", "")
    assert actions(shared_task) == ["team.readmitted", "team.excluded"]


def test_merged_teams_have_all_submissions_and_attempts(shared_task, phase, otters, herons):
    first = send(herons, phase, now=START)
    send(otters, phase, seed=2)
    moved = send(otters, phase, seed=3)
    choose_submission(moved, 1, START)
    score_all()
    allow_attempts(otters, phase, 1, "an outage")
    TeamInvitation.objects.create(team=otters, digest="a" * 64, expires_at=START + DAY)

    into = merge_teams(otters, herons, "one group", now=START)

    otters.refresh_from_db()
    assert (otters.state, otters.merged_into) == ("merged", into)
    assert list(into.submissions.order_by("number").values_list("number", flat=True)) == [1, 2, 3]
    assert into.submissions.get(number=1) == first
    assert count_attempts(into, phase, START)[:2] == (3, 5)
    assert into.members.count() == 2
    assert not TeamInvitation.objects.valid(START).exists()
    assert not otters.counted_submissions.exists()
    assert into.counted_submissions.get().submission == moved
    assert actions(shared_task)[0] == "team.merged"


def test_teams_with_too_many_attempts_together_are_not_merged(shared_task, phase, otters, herons):
    for seed in (1, 2, 3):
        send(otters, phase, seed=seed)
    for seed in (4, 5):
        send(herons, phase, seed=seed)

    with pytest.raises(SharedTaskRefused, match="have 5 attempts in evaluation"):
        merge_teams(otters, herons, "one group", now=START)

    otters.refresh_from_db()
    assert (otters.state, otters.submissions.count()) == ("accepted", 3)
    allow_attempts(herons, phase, 1, "for merging")
    assert merge_teams(otters, herons, "one group", now=START).submissions.count() == 5


def test_attempts_of_a_day_add_up_as_well(shared_task, otters, herons):
    phase = make_phase(shared_task, attempts_total=None, attempts_a_day=1)
    send(otters, phase)
    send(herons, phase, seed=2)

    with pytest.raises(SharedTaskRefused, match="2 attempts on one day"):
        merge_teams(otters, herons, "one group", now=START)


def test_the_same_predictions_of_merged_teams_are_one_attempt(shared_task, phase, otters, herons):
    send(otters, phase)
    send(herons, phase)

    into = merge_teams(otters, herons, "one group", now=START)

    assert count_attempts(into, phase, START).n_used == 1
    assert into.submissions.get(number=2).state == "cancelled"


def test_a_team_is_not_merged_with_itself_or_an_excluded_one(shared_task, otters, herons):
    exclude_team(herons, "two accounts")

    for other in (otters, herons):
        with pytest.raises(SharedTaskRefused):
            merge_teams(otters, other, "one group", now=START)


def test_trial_runs_are_unlimited_and_never_attempts_of_a_team(shared_task, phase):
    for seed in range(6):
        files = [result_file([seed, *predictions()[1:]])]
        submission = send_own(shared_task, phase, files, by=None, now=START - DAY)

    assert (submission.team.kind, submission.number) == ("trial", 6)


def test_an_own_team_does_not_take_the_name_of_a_team(shared_task, phase, otters):
    with pytest.raises(SharedTaskRefused, match="A team has the name otters"):
        send_own(
            shared_task, phase, [result_file(predictions())], by=None, now=START, baseline="otters"
        )


@pytest.mark.parametrize("name", ["human", "Score ceiling", "best without context", "a\u202eb"])
def test_a_baseline_has_a_name_that_no_other_row_has(shared_task, phase, name):
    files = [result_file(predictions(1))]

    with pytest.raises(SharedTaskRefused, match=r"row of boards|cannot be seen"):
        send_own(shared_task, phase, files, by=None, now=START, baseline=name)

    assert not Team.objects.filter(kind="baseline").exists()
    assert send_own(shared_task, phase, files, by=None, now=START, baseline="constant").pk
