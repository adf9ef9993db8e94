"""Submissions: limits, times, and what a team or an organiser may do with them."""

from datetime import UTC, datetime, timedelta

import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import SubmissionRefused, TooLate
from surveys.sharedtasks.models import Allowance, FrozenBoard, Phase, Submission, Upload
from surveys.sharedtasks.scoring.score import find_scoring
from surveys.sharedtasks.submissions import (
    cancel_submission,
    choose_submission,
    rescore_failed,
    submit,
    withdraw_submission,
)
from surveys.sharedtasks.teams.attempts import count_attempts
from surveys.sharedtasks.uploads import check_files
from tests.factories.sharedtasks import (
    START,
    make_phase,
    make_team,
    predictions,
    result_file,
    score_all,
    send,
)

pytestmark = [pytest.mark.django_db, pytest.mark.shared_task(zone="Europe/Ljubljana")]
HOUR = timedelta(hours=1)


@pytest.fixture
def two_tries(shared_task):
    return make_phase(shared_task, attempts_total=2)


def check(team, phase, seed=1, now=START):
    return check_files(team, phase, [result_file(predictions(seed))], by=None, now=now)


def test_submissions_are_numbered_by_team_and_phase(team, two_tries, shared_task):
    other = make_phase(shared_task, "other")
    stranger = make_team(shared_task, "Herons")

    sent = [
        send(team, two_tries), send(team, two_tries, seed=2), send(team, other),
        send(stranger, two_tries),
    ]  # fmt: skip

    assert [one.number for one in sent] == [1, 2, 1, 1]
    assert len({one.code for one in sent}) == 4


def test_a_submission_sent_twice_is_stored_once(team, two_tries):
    upload = check(team, two_tries)

    first = submit(upload, by=None, now=START)

    assert submit(upload, by=None, now=START) == first
    assert Submission.objects.count() == 1


def test_attempts_are_limited_in_all(team, two_tries):
    late = check(team, two_tries, 3)
    send(team, two_tries)
    withdraw_submission(send(team, two_tries, seed=2))

    with pytest.raises(SubmissionRefused, match="All 2 attempts of the phase evaluation"):
        submit(late, by=None, now=START)

    assert Submission.objects.count() == 2


def test_a_cancelled_attempt_is_given_back(team, two_tries):
    cancelled = send(team, two_tries)
    send(team, two_tries, seed=2)

    cancel_submission(cancelled, "the site was down")

    assert count_attempts(team, two_tries, START).n_left == 1
    assert send(team, two_tries).number == 3
    assert AuditEntry.objects.get(action="submission.cancelled").details["reason"] == (
        "the site was down"
    )


def test_cancelling_needs_a_reason(team, two_tries):
    with pytest.raises(SubmissionRefused, match="Write why"):
        cancel_submission(send(team, two_tries), " ")


def test_attempts_a_day_are_those_of_the_tasks_zone(team, shared_task):
    """Midnight in Ljubljana is 23:00 in UTC."""
    phase = make_phase(shared_task, attempts_total=None, attempts_a_day=1)
    evening = datetime(2027, 1, 1, 22, 59, tzinfo=UTC)
    send(team, phase, now=evening)

    with pytest.raises(SubmissionRefused, match="All 1 attempts of today"):
        send(team, phase, seed=2, now=evening + timedelta(seconds=59))

    assert send(team, phase, seed=2, now=evening + timedelta(seconds=60)).number == 2


def test_an_allowance_adds_attempts_in_all_and_on_any_day(team, shared_task):
    phase = make_phase(shared_task, attempts_total=3, attempts_a_day=1)
    Allowance.objects.create(team=team, phase=phase, n_attempts=2, reason="an outage")
    send(team, phase)
    send(team, phase, seed=2)

    assert count_attempts(team, phase, START) == (2, 5, 2, 3)
    assert count_attempts(team, phase, START + 24 * HOUR) == (2, 5, 0, 2)
    assert count_attempts(team, phase, START).n_left == 1


def test_organisers_have_no_limits(shared_task, two_tries):
    trial = make_team(shared_task, "trial", kind="trial")

    for seed in (1, 2, 3):
        send(trial, two_tries, seed=seed)

    assert count_attempts(trial, two_tries, START).n_left is None


def test_what_is_late_is_offered_to_a_later_phase(team, two_tries, shared_task):
    later = make_phase(shared_task, "post-evaluation", opens_at=two_tries.closes_at, closes_at=None)
    make_phase(shared_task, "practice", data="practice", closes_at=None)
    make_phase(shared_task, "changes", subtasks=[1], closes_at=None)
    upload = check(team, two_tries, now=two_tries.closes_at - HOUR)

    with pytest.raises(TooLate, match="submit in the phase post-evaluation") as late:
        submit(upload, by=None, now=two_tries.closes_at)
    submitted = submit(upload, by=None, now=two_tries.closes_at, phase=later)

    assert late.value.phases == [later]
    assert (submitted.phase, submitted.number) == (later, 1)


def test_files_are_submitted_to_phases_of_the_same_data_alone(team, two_tries, shared_task):
    practice = make_phase(shared_task, "practice", data="practice")

    with pytest.raises(SubmissionRefused, match="were checked for the phase evaluation"):
        submit(check(team, two_tries), by=None, now=START, phase=practice)


def test_the_instant_at_which_a_request_began_decides(team, two_tries):
    upload = check(team, two_tries)
    last = two_tries.closes_at - timedelta(microseconds=1)

    assert submit(upload, by=None, now=last).sent_at == last


def test_files_that_were_dropped_must_be_sent_again(team, two_tries):
    upload = check(team, two_tries)
    Upload.objects.all().delete()

    with pytest.raises(SubmissionRefused, match="Send them again"):
        submit(upload, by=None, now=START)


def test_files_that_are_lost_must_be_sent_again(team, two_tries):
    upload = check_files(team, two_tries, [result_file(predictions())], by=None, now=START)
    upload.file.storage.delete(upload.file.name)

    with pytest.raises(SubmissionRefused, match="Send them again"):
        submit(upload, by=None, now=START)

    assert not Submission.objects.exists()


def test_submitting_makes_as_many_queries_for_more_submissions(
    team, two_tries, django_assert_max_num_queries
):
    """Others wait meanwhile, at least on SQLite."""
    for seed in (1, 2):
        upload = check_files(team, two_tries, [result_file(predictions(seed))], by=None, now=START)
        with django_assert_max_num_queries(14):
            submit(upload, by=None, now=START)


def test_the_same_predictions_of_two_tabs_are_submitted_once(team, two_tries):
    first, second = check(team, two_tries), check(team, two_tries)
    submit(first, by=None, now=START)

    with pytest.raises(SubmissionRefused, match="your submission 1"):
        submit(second, by=None, now=START)


def test_the_last_submission_counts_unless_the_team_chooses(team, two_tries):
    first, second = send(team, two_tries), send(team, two_tries, seed=2)
    score_all()
    assert team.counted_submissions.get().submission == second

    choose_submission(first, 1, START)

    counted = team.counted_submissions.get()
    assert (counted.submission, counted.is_chosen) == (first, True)
    assert counted.scores["sl"]["score"] == first.scores.get().score


def test_a_submission_may_be_chosen_before_it_is_scored(team, two_tries):
    chosen = send(team, two_tries)
    choose_submission(chosen, 1, START)
    send(team, two_tries, seed=2)
    score_all()

    assert team.counted_submissions.get().submission == chosen
    assert team.counted_submissions.get().scores["sl"]["n"] == 12


def test_nothing_is_chosen_after_the_end(team, two_tries):
    first = send(team, two_tries)

    with pytest.raises(TooLate):
        choose_submission(first, 1, two_tries.closes_at)


def test_results_of_another_subtask_cannot_be_chosen(team, two_tries):
    with pytest.raises(SubmissionRefused, match="no results of this subtask"):
        choose_submission(send(team, two_tries), 2, START)


def test_the_best_counts_where_the_phase_says_so(team, shared_task):
    phase = make_phase(shared_task, counting="best", visibility="own")
    best = send(team, phase, [result_file([(k * 7) % 10 - k % 10 for k in range(12)])])
    send(team, phase, seed=2)
    score_all()

    assert team.counted_submissions.get().submission == best
    with pytest.raises(SubmissionRefused, match="highest score counts"):
        choose_submission(best, 1, START)


def test_a_withdrawn_submission_leaves_the_board_to_the_one_before(team, two_tries):
    first, second = send(team, two_tries), send(team, two_tries, seed=2)
    score_all()

    withdraw_submission(second)
    assert team.counted_submissions.get().submission == first
    withdraw_submission(first)

    assert not team.counted_submissions.exists()
    assert count_attempts(team, two_tries, START).n_left == 0


def test_what_was_sent_again_meanwhile_is_not_scored_twice(team, two_tries):
    failed = send(team, two_tries)
    Submission.objects.update(state="failed")
    again = send(team, two_tries)

    with pytest.raises(SubmissionRefused, match="again as submission 2"):
        rescore_failed(failed)

    states = two_tries.submissions.order_by("number").values_list("state", flat=True)
    assert list(states) == ["failed", "stored"]
    cancel_submission(again, "sent twice")
    assert rescore_failed(failed).state == "stored"
    assert AuditEntry.objects.get(action="submission.rescored").subject == (
        "submission 1 of Otters in evaluation"
    )


def test_nothing_is_scored_again_once_boards_are_final(team, two_tries, shared_task):
    failed = send(team, two_tries)
    Submission.objects.update(state="failed")
    scoring = find_scoring(shared_task)
    FrozenBoard.objects.create(phase=two_tries, subtask=1, scoring=scoring, body="{}", sha256="a")

    with pytest.raises(SubmissionRefused, match="are final"):
        rescore_failed(failed)


def test_a_cancelled_submission_cannot_be_withdrawn(team, two_tries):
    with pytest.raises(SubmissionRefused, match="organisers have cancelled"):
        withdraw_submission(cancel_submission(send(team, two_tries), "a fault"))


def test_a_draft_takes_no_submissions(team, two_tries, shared_task):
    upload = check(team, two_tries)
    shared_task.state = "draft"
    shared_task.save()

    with pytest.raises(SubmissionRefused, match="not open yet"):
        submit(upload, by=None, now=START, phase=Phase.objects.get(pk=two_tries.pk))
