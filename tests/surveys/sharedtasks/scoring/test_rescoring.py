"""Corrected gold: scored again, both kept, and what moves is shown before it is used."""

import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import CountedSubmission, Scoring, Submission, SubtaskScore
from surveys.sharedtasks.scoring.corrections import (
    find_breaches,
    find_corrections,
    write_correction,
)
from surveys.sharedtasks.scoring.gold import load_gold
from surveys.sharedtasks.scoring.rescoring import (
    discard_scoring,
    find_unused,
    list_moved_ranks,
    perform_rescoring,
    repeat_rescoring,
    request_rescoring,
    use_scoring,
)
from surveys.sharedtasks.tasks import find_jobs
from tests.factories.jobs import perform_all
from tests.factories.sharedtasks import (
    make_team,
    result_file,
    score_all,
    send,
)
from tests.factories.task_files import HEADER, gold_file

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
OLD = gold_file(12)
# The changes of the first and last pair are other ones.
NEW = (HEADER + OLD.decode().removeprefix(HEADER).replace("0\t0\t0\n", "0\t9\t9\n")).encode()
REASON = "the scores of pair 1 were exchanged"


@pytest.fixture
def teams(shared_task, phase):
    """Otters come first with the present gold, Herons with the corrected one."""
    changes = load_gold(shared_task.parts.get(), practice=False).columns["change"].tolist()
    right = [9.0 if change == 0 and k in (0, 10) else change for k, change in enumerate(changes)]
    teams = make_team(shared_task), make_team(shared_task, "Herons")
    for team, numbers in zip(teams, (changes, right), strict=True):
        send(team, phase, [result_file(numbers)])
    score_all()
    return teams


def rescore(shared_task):
    scoring = request_rescoring(shared_task, REASON, gold={"sl": NEW}, by=None)
    perform_all()
    scoring.refresh_from_db()
    return scoring


def test_ranks_that_move_are_listed_before_the_scoring_is_used(shared_task, phase, teams):
    otters, herons = teams
    before = dict(CountedSubmission.objects.values_list("team__name", "average"))

    scoring = rescore(shared_task)

    moved = {(one.team, one.column): one[4:] for one in list_moved_ranks(scoring)}
    assert scoring.state == "ready"
    assert moved[otters, "average"][0] == 1
    assert moved[otters, "average"][2:] == (1, 2)
    assert moved[herons, "sl"][1:] == (1.0, 2, 1)
    assert dict(CountedSubmission.objects.values_list("team__name", "average")) == before


def test_the_boards_follow_and_the_old_scores_are_kept(shared_task, phase, teams):
    scoring = use_scoring(rescore(shared_task))

    assert list(CountedSubmission.objects.order_by("-average").values_list("team__name")) == [
        ("Herons",), ("Otters",),
    ]  # fmt: skip
    assert [SubtaskScore.objects.filter(scoring__number=n).count() for n in (1, 2)] == [2, 2]
    assert list(Scoring.objects.values_list("number", "state")) == [
        (1, "replaced"), (2, "current"),
    ]  # fmt: skip
    (correction,) = find_corrections(shared_task)
    assert (correction.scoring, correction.languages, correction.by) == (scoring, ("sl",), "")
    assert f"with corrected gold (sl): {REASON}" in write_correction(correction)
    assert find_breaches(shared_task) == [correction]
    assert [entry.action for entry in AuditEntry.objects.filter(action__startswith="scoring.")] == [
        "scoring.used", "scoring.requested",
    ]  # fmt: skip
    assert use_scoring(scoring) == scoring


def test_later_submissions_are_scored_with_the_corrected_gold(shared_task, phase, teams):
    use_scoring(rescore(shared_task))

    submission = send(teams[0], phase)
    score_all()

    assert submission.scores.get().scoring.number == 2
    assert Scoring.objects.get(number=2).gold_sha256 != Scoring.objects.get(number=1).gold_sha256


def test_what_arrives_before_the_scoring_is_used_is_scored_by_both(shared_task, phase, teams):
    scoring = rescore(shared_task)
    submission = send(teams[0], phase)
    score_all()

    use_scoring(scoring)

    scored_by = set(submission.scores.values_list("scoring__number", flat=True))
    assert scored_by == {1, 2}
    assert CountedSubmission.objects.get(team=teams[0]).submission == submission


def test_what_waits_is_scored_by_the_new_scoring(shared_task, phase, teams):
    scoring = rescore(shared_task)
    submission = send(teams[0], phase)

    use_scoring(scoring)
    score_all()

    submission.refresh_from_db()
    assert submission.state == "scored"
    assert submission.scores.filter(scoring=scoring).count() == 1
    assert CountedSubmission.objects.get(team=teams[0]).submission == submission


def test_a_new_scorer_is_told_and_leaves_the_commitment(shared_task, teams):
    Scoring.objects.update(scorer="0.9")
    scoring = request_rescoring(shared_task, "ties were wrong", gold={}, by=None)
    perform_all()
    scoring.refresh_from_db()

    use_scoring(scoring)

    (correction,) = find_corrections(shared_task)
    assert "with a new scorer: ties were wrong" in write_correction(correction)
    assert find_breaches(shared_task) == []


def test_each_correction_names_its_languages_and_the_committed_gold_mends_the_commitment(
    shared_task, teams, ana
):
    use_scoring(rescore(shared_task))
    scoring = request_rescoring(shared_task, "it was right", gold={"sl": OLD}, by=ana)
    perform_all()
    scoring.refresh_from_db()
    assert len(find_breaches(shared_task)) == 1

    use_scoring(scoring)

    found = [(one.languages, one.by) for one in find_corrections(shared_task)]
    assert found == [(("sl",), ""), (("sl",), "ana")]
    assert find_breaches(shared_task) == []


def test_a_discarded_scoring_changes_nothing(shared_task, teams):
    scoring = discard_scoring(rescore(shared_task))

    assert (scoring.state, find_unused(shared_task)) == ("discarded", None)
    with pytest.raises(SharedTaskRefused, match="is not computed yet"):
        use_scoring(scoring)
    assert discard_scoring(scoring).state == "discarded"


def test_an_interrupted_job_goes_on_where_it_ended(shared_task, teams):
    scoring = request_rescoring(shared_task, REASON, gold={"sl": NEW}, by=None)
    job = find_jobs(shared_task).get()

    def interrupt(stage, done, of):
        raise OSError("interrupted")

    with pytest.raises(OSError, match="interrupted"):
        perform_rescoring(job, interrupt)
    assert SubtaskScore.objects.filter(scoring=scoring).count() == 1
    perform_all()

    assert SubtaskScore.objects.filter(scoring=scoring).count() == 2
    scoring.refresh_from_db()
    job.refresh_from_db()
    assert (scoring.state, job.state, job.share_done) == ("ready", "done", 100)


def test_a_lost_file_stops_the_job_and_is_named(shared_task, teams):
    submission = Submission.objects.first()
    submission.file.storage.delete(submission.file.name)

    scoring = rescore(shared_task)

    job = find_jobs(shared_task).get()
    assert (scoring.state, job.state) == ("computing", "failed")
    assert f"submission 1 of {submission.team}" in job.error
    submission.state = "cancelled"
    submission.save()
    repeat_rescoring(scoring, None)
    perform_all()
    scoring.refresh_from_db()
    assert scoring.state == "ready"


@pytest.mark.parametrize(
    ("gold", "reason", "words"),
    [
        ({"sl": NEW}, " ", "Write why"),
        ({"sl": OLD}, REASON, "no score would change"),
        ({}, REASON, "no score would change"),
        ({"fi": NEW}, REASON, "no language fi"),
        ({"sl": gold_file(11)}, REASON, "12 pairs, and the gold has 11"),
        ({"sl": b"x"}, REASON, "sl: "),
    ],
)
def test_gold_that_cannot_be_used_is_refused(shared_task, teams, gold, reason, words):
    with pytest.raises(SharedTaskRefused, match=words):
        request_rescoring(shared_task, reason, gold=gold, by=None)

    assert Scoring.objects.count() == 1
    assert not find_jobs(shared_task).exists()


def test_one_correction_at_a_time(shared_task, teams):
    rescore(shared_task)

    with pytest.raises(SharedTaskRefused, match="Decide first whether scoring 2"):
        request_rescoring(shared_task, REASON, gold={"sl": NEW}, by=None)
