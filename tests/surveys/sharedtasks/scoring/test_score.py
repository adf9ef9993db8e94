"""Scoring what waits: by the gold, once, and whatever happens in between."""

import zipfile
from collections import Counter
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from postprocess.scoring.figures import score_predictions
from postprocess.scoring.inference import average_scores, score_interval
from postprocess.scoring.metrics import SIMILARITIES, Metric
from surveys.models import Job
from surveys.sharedtasks.errors import SubmissionRefused
from surveys.sharedtasks.models import (
    CountedSubmission,
    Scoring,
    ScoringState,
    Submission,
    SubmissionState,
    SubtaskScore,
    TaskPart,
    Upload,
)
from surveys.sharedtasks.scoring import score
from surveys.sharedtasks.scoring.counting import count_team
from surveys.sharedtasks.scoring.flags import flag_similar_teams
from surveys.sharedtasks.scoring.gold import load_gold
from surveys.sharedtasks.submissions import (
    cancel_submission,
    rescore_failed,
    submit,
    withdraw_submission,
)
from surveys.sharedtasks.uploads import check_files
from tests.factories.jobs import fall_silent
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
from tests.factories.studies import stored

pytestmark = pytest.mark.django_db
BOTH = [
    result_file(predictions(seed), subtask, language)
    for seed, (subtask, language) in enumerate([(1, "hr"), (1, "sl"), (2, "hr"), (2, "sl")], 1)
]


def test_scores_are_those_of_the_library(team, phase, shared_task):
    make_data(shared_task, "hr")
    gold = {part.language: load_gold(part, practice=False) for part in shared_task.parts.all()}

    send(team, phase, BOTH)
    assert score_all() == 1

    scores = {
        (one.subtask, one.part.language): one for one in SubtaskScore.objects.select_related("part")
    }
    numbers = predictions(4)
    expected = score_predictions(
        Metric.HARMONIC, [(x, x * x) for x in numbers], gold["sl"].find_gold(SIMILARITIES)
    )
    found = scores[2, "sl"]
    assert len(scores) == 4
    assert (found.score, found.pearson, found.spearman) == (
        expected.score, expected.pearson, expected.spearman,
    )  # fmt: skip
    assert (found.low, found.high) == (score_interval(expected, Metric.HARMONIC) or (None, None))
    both = [
        score_predictions(Metric.CHANGE, predictions(k), gold[name].columns["change"])
        for k, name in [(1, "hr"), (2, "sl")]
    ]
    average = average_scores(both, Metric.CHANGE)
    counted = CountedSubmission.objects.get(subtask=1)
    assert counted.average == pytest.approx(average.score, abs=1e-15)
    assert (counted.average_low, counted.average_high) == pytest.approx(average.interval, abs=1e-14)
    assert counted.scores["sl"]["score"] == both[1].score
    assert scores[1, "sl"].pearson is None


def test_a_missing_language_is_never_filled(team, phase, shared_task):
    make_data(shared_task, "hr")

    send(team, phase)
    score_all()

    counted = CountedSubmission.objects.get()
    assert (list(counted.scores), counted.average) == (["sl"], None)


def test_the_average_of_the_best_languages(team, phase, shared_task):
    make_data(shared_task, "hr")
    shared_task.best_of = 1
    shared_task.save()

    submission = send(team, phase, BOTH[:2])
    score_all()

    best = max(one.score for one in submission.scores.all())
    assert CountedSubmission.objects.get().average == best


def test_practice_is_scored_by_its_own_gold(team, shared_task):
    phase = make_phase(shared_task, "practice", data="practice", visibility="own")

    submission = send(team, phase, [result_file([-1, 2, 0.5, 1])])
    score_all()

    score = submission.scores.get()
    gold = load_gold(shared_task.parts.get(), practice=True)
    assert (
        score.score
        == score_predictions(Metric.CHANGE, [-1, 2, 0.5, 1], gold.columns["change"]).score
    )
    assert (score.n, score.low) == (4, None)


def test_the_first_scoring_is_made_with_the_digests_of_the_gold(team, phase, shared_task):
    send(team, phase)
    score_all()

    scoring = Scoring.objects.get()
    assert (scoring.number, scoring.state) == (1, ScoringState.CURRENT)
    assert scoring.gold_sha256 == {"sl": shared_task.parts.get().gold_sha256}


def test_what_was_stored_before_the_process_died_is_scored_later_and_once(
    team, phase, django_capture_on_commit_callbacks
):
    """Nothing after the commit happens: the callbacks are not called."""
    with django_capture_on_commit_callbacks():
        submission = send(team, phase)
    assert submission.state == SubmissionState.STORED

    assert [score_all() for _ in range(2)] == [1, 0]

    submission.refresh_from_db()
    assert (submission.state, submission.scores.count()) == (SubmissionState.SCORED, 1)


def test_a_submission_is_scored_when_it_is_stored(team, phase, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        submission = send(team, phase)

    submission.refresh_from_db()
    assert submission.state == SubmissionState.SCORED


@pytest.mark.parametrize("end", [withdraw_submission, partial(cancel_submission, reason="a fault")])
def test_what_ends_while_it_is_scored_stays_ended(team, phase, monkeypatch, end):
    submission = send(team, phase)
    compute = score.compute_figures

    def end_meanwhile(*arguments):
        end(submission)
        return compute(*arguments)

    monkeypatch.setattr(score, "compute_figures", end_meanwhile)
    score_all()

    submission.refresh_from_db()
    assert submission.state in (SubmissionState.WITHDRAWN, SubmissionState.CANCELLED)
    assert not CountedSubmission.objects.exists()


def test_a_submission_is_scored_by_the_scoring_that_is_current_in_the_end(team, phase, monkeypatch):
    submission = send(team, phase)
    compute = score.compute_figures

    def replace_once(*arguments):
        monkeypatch.setattr(score, "compute_figures", compute)
        Scoring.objects.update(state=ScoringState.REPLACED)
        return compute(*arguments)

    monkeypatch.setattr(score, "compute_figures", replace_once)
    score_all()

    assert submission.scores.get().scoring.number == 2


def test_a_file_that_is_lost_is_a_fault_of_the_site_and_no_attempt(team, phase):
    submission = send(team, phase)
    content = submission.file.read()
    submission.file.storage.delete(submission.file.name)

    score_all()

    submission.refresh_from_db()
    assert (submission.state, submission.scores.count()) == (SubmissionState.FAILED, 0)
    assert "not count as an attempt" in submission.state_reason
    assert phase.submissions.attempts().count() == 0

    Path(submission.file.path).write_bytes(content)
    rescore_failed(submission)
    score_all()

    submission.refresh_from_db()
    assert (submission.state, submission.state_reason) == (SubmissionState.SCORED, "")


def test_a_submission_that_has_killed_two_processes_could_not_be_scored(team, phase):
    submission = send(team, phase)

    for _ in range(2):
        Job.objects.update(state="running")
        fall_silent()

    assert stored(submission, "state") == (SubmissionState.FAILED,)
    rescore_failed(submission)
    score_all()
    assert stored(submission, "state") == (SubmissionState.SCORED,)


def test_a_damaged_file_is_a_fault_of_the_site(team, phase):
    submission = send(team, phase)
    with zipfile.ZipFile(submission.file.path, "w") as archive:
        archive.writestr("results_subtask1_sl.tsv", "change\n1\n")

    score_all()

    submission.refresh_from_db()
    assert submission.state == SubmissionState.FAILED


def test_flags_are_stored_with_the_scores(team, phase, shared_task):
    """Mostly zeros, then what hardly correlates with it, and a copy of another team's."""
    zeros = send(team, phase, [result_file([0] * 8 + [1, 2, 3, 20403.0**2])])
    score_all()
    other = send(team, phase, [result_file([5, 1, 9, 2, 8, 3, 7, 4, 4, 3, 9, 1])])
    score_all()
    copied = send(make_team(shared_task, "Herons"), phase, [
        result_file([5, 1, 9, 2, 8, 3, 7, 4, 4, 3, 9, 1])
    ])  # fmt: skip
    score_all()

    flags = [
        [(one["flag"], one["other"]) for one in Submission.objects.get(pk=sent.pk).flags]
        for sent in (zeros, other, copied)
    ]
    assert flags == [
        [("MANY_ZEROS", ""), ("WIDE_RANGE", "")],
        [("DISSIMILAR", "submission 1")],
        [("SIMILAR", "Otters")],
    ]


@pytest.mark.every_database
def test_teams_that_are_almost_the_same_are_flagged_once(shared_task, phase, team):
    numbers = predictions()
    send(team, phase)
    send(make_team(shared_task, "Herons"), phase, [result_file([2 * x + 1 for x in numbers])])
    other = send(make_team(shared_task, "Newts"), phase, seed=4)
    score_all()

    assert [flag_similar_teams(phase), flag_similar_teams(phase)] == [2, 2]

    flagged = Submission.objects.exclude(flags=[])
    flags = {sub.team.name: [flag["other"] for flag in sub.flags] for sub in flagged}
    assert flags == {"Otters": ["Herons"], "Herons": ["Otters"]}
    assert other not in flagged


def test_a_baselines_numbers_are_flagged(team, phase, shared_task):
    baseline = send(make_team(shared_task, "form", kind="baseline"), phase)
    submission = send(team, phase)
    score_all()

    submission.refresh_from_db()
    baseline.refresh_from_db()
    assert [(one["flag"], one["other"]) for one in submission.flags] == [("BASELINE", "form")]
    assert baseline.flags == []


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_sixty_submissions_at_once_store_the_nine_that_are_left(at_once_of_many):
    outcomes, stored = at_once_of_many

    assert Counter(map(type, outcomes)) == {Submission: 9, SubmissionRefused: 51}
    assert stored == [*range(1, 10)]


@pytest.fixture
def at_once_of_many(transactional_db, request):
    """Submit 60 files of a team at once; return the outcomes, and the numbers that are stored."""
    shared_task = make_shared_task()
    make_data(shared_task)
    team, phase = make_team(shared_task), make_phase(shared_task)
    checked = check_files(team, phase, [result_file(predictions())], by=None, now=START)
    archive = checked.file.read()
    uploads = [
        Upload.objects.create(
            team=team, phase=phase, file=ContentFile(archive, "results.zip"), digest=f"{k:064}",
            contents=checked.contents,
        )
        for k in range(60)
    ]  # fmt: skip
    at_once = request.getfixturevalue("at_once")
    outcomes = at_once(*(partial(submit, one, now=START, by=None) for one in uploads))
    (numbers,) = at_once(
        lambda: sorted(Submission.objects.filter(team=team).values_list("number", flat=True))
    )
    return outcomes, numbers


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_several_processes_score_each_submission_once(transactional_db, request):
    shared_task = make_shared_task()
    make_data(shared_task)
    phase = make_phase(shared_task, attempts_total=None)
    for name in ("Otters", "Herons", "Newts"):
        team = make_team(shared_task, name)
        for seed in range(1, 5):
            send(team, phase, [result_file([seed, len(name), *predictions(seed)[2:]])])
    at_once = request.getfixturevalue("at_once")

    outcomes = at_once(*[score_all] * 4)

    (found,) = at_once(
        lambda: (
            Job.objects.exclude(state="done").count(),
            SubtaskScore.objects.count(),
            sorted(CountedSubmission.objects.values_list("team__name", "submission__number")),
        )
    )
    assert not [one for one in outcomes if isinstance(one, Exception)]
    assert found == (0, 12, [("Herons", 4), ("Newts", 4), ("Otters", 4)])


def test_the_time_of_the_end_is_not_the_time_of_scoring(team, phase):
    """A submission that was sent in time is scored at any later time."""
    submission = send(team, phase, now=phase.closes_at - timedelta(seconds=1))

    score_all()

    submission.refresh_from_db()
    assert submission.state == SubmissionState.SCORED
    assert TaskPart.objects.get().scores.count() == 1


def test_counting_makes_as_many_queries_for_more_submissions(
    team, phase, django_assert_num_queries
):
    for seed in (1, 2, 3):
        send(team, phase, [result_file(predictions(seed), subtask) for subtask in (1, 2)])
        score_all()

        with django_assert_num_queries(5):
            count_team(team, [phase])


def test_the_last_results_of_each_subtask_count(team, phase):
    """They are those of different submissions if the last one has results of one subtask."""
    first = send(team, phase, [result_file(predictions(k), k) for k in (1, 2)])
    last = send(team, phase, [result_file(predictions(3), 2)])
    score_all()

    counted = CountedSubmission.objects.order_by("subtask")
    assert [one.submission for one in counted] == [first, last]
    assert all(one.scores for one in counted)
