"""The organisers' pages of submissions, corrections, final boards and publishing."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.sharedtasks.models import RefusedUpload, Scoring, Submission
from surveys.sharedtasks.scoring.gold import read_gold_file
from surveys.sharedtasks.tasks import find_jobs
from tests.factories.jobs import perform_all
from tests.factories.organised import page
from tests.factories.sharedtasks import (
    make_data,
    make_phase,
    make_shared_task,
    make_team,
    predictions,
    result_file,
    score_all,
    send,
)
from tests.factories.task_files import HEADER, gold_file

pytestmark = pytest.mark.shared_task(
    has_data=False, has_organiser=True, zone="UTC", text="Predict.", terms="Be fair."
)

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)  # the boards are made in the background, by the true time
OVER = BEGIN + timedelta(days=7)
OLD = gold_file(12).decode().removeprefix(HEADER)
NEW = (HEADER + OLD.replace("0\t0\t0\n", "0\t9\t9\n")).encode()
DESCRIBED = {"described_at": BEGIN, "publishes_scores": True}


@pytest.fixture
def past_phase(shared_task):
    make_data(shared_task)
    return make_phase(shared_task, opens_at=BEGIN, closes_at=OVER)


@pytest.fixture
def submissions(shared_task, past_phase):
    """Two teams, one of which described its system, with a scored submission each."""
    teams = make_team(shared_task, **DESCRIBED), make_team(shared_task, "Herons")
    sent = [send(team, past_phase, seed=seed, now=BEGIN) for seed, team in enumerate(teams, 1)]
    score_all()
    return sent


def test_a_submission_is_shown_with_scores_of_three_decimals(as_ana, shared_task, submissions):
    first = submissions[0]
    score = first.scores.get()

    shown = as_ana.get(page("submission", first.pk)).text

    assert f"{score.score:.3f}" in shown
    assert f"{score.score:.5f}" not in shown
    assert page("submission", first.pk) in as_ana.get(page("submissions")).text
    assert "Herons" in as_ana.get(f"{page('submissions')}?phase=evaluation").text
    assert "Nothing was submitted" in as_ana.get(f"{page('submissions')}?phase=none").text


def test_scores_of_a_track_in_per_cent_are_shown_so(as_ana, shared_task, submissions):
    shared_task.tracks.update(is_percent=True)
    score = submissions[0].scores.get()

    shown = as_ana.get(page("submission", submissions[0].pk)).text

    assert f">{100 * score.score:.1f}</td>" in shown.replace("\n", "").replace(" ", "")
    assert f"{score.score:.3f}" not in shown


def test_the_submissions_of_a_team_are_shown_alone(as_ana, shared_task, submissions):
    first, other = submissions
    address = f"{page('submissions')}?team={first.team_id}"

    of_team = as_ana.get(address).text

    assert "<h1>Submissions of Otters</h1>" in of_team
    assert "Herons" not in of_team
    assert f"?team={first.team_id}&amp;phase=evaluation" in of_team
    assert "evaluation (1)" in of_team
    assert "evaluation (2)" in as_ana.get(page("submissions")).text
    assert "Herons" in as_ana.get(f"{page('submissions')}?team={other.team_id}").text
    for nobody in ("0", "x", "9" * 30):
        assert "Herons" in as_ana.get(f"{page('submissions')}?team={nobody}").text


def test_files_are_sent_as_an_attachment(as_ana, shared_task, submissions):
    answer = as_ana.get(page("submission_files", submissions[0].pk))

    assert "attachment" in answer["Content-Disposition"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert b"".join(answer.streaming_content).startswith(b"PK")


def test_a_submission_is_cancelled_with_a_reason(as_ana, shared_task, submissions):
    first = submissions[0]
    assert as_ana.post(page("submission", first.pk), {"reason": " "}).status_code == 422

    answer = as_ana.post(page("submission", first.pk), {"reason": "the site was down"})

    assert answer.url == page("submission", first.pk)
    first.refresh_from_db()
    assert (first.state, first.state_reason) == ("cancelled", "the site was down")
    assert "the site was down" in as_ana.get(page("log")).text


def test_a_submission_that_could_not_be_scored_is_scored_again(as_ana, shared_task, submissions):
    first = submissions[0]
    assert "Score it again" not in as_ana.get(page("submission", first.pk)).text
    first.state, first.state_reason = "failed", "It could not be scored."
    first.save()
    assert "Score it again" in as_ana.get(page("submission", first.pk)).text

    answer = as_ana.post(page("rescore", first.pk))

    assert answer.url == page("submission", first.pk)
    first.refresh_from_db()
    assert (first.state, first.state_reason) == ("stored", "")
    assert "Had submission 1 of" in as_ana.get(page("log")).text


def test_the_note_of_a_team_is_for_the_team_alone(as_ana, shared_task, submissions):
    Submission.objects.update(note="seed 17")

    assert "seed 17" not in as_ana.get(page("submission", submissions[0].pk)).text


def test_submissions_of_other_shared_tasks_are_not_found(as_ana, shared_task, submissions):
    other = make_shared_task(slug="other")
    make_data(other)
    sent = send(
        make_team(other, "Badgers"), make_phase(other, opens_at=BEGIN, closes_at=OVER), now=BEGIN
    )

    for name in ("submission", "submission_files"):
        assert as_ana.get(page(name, sent.pk)).status_code == 404
    assert as_ana.post(page("rescore", sent.pk)).status_code == 404
    assert as_ana.post(page("submission", sent.pk), {"reason": "x"}).status_code == 404
    sent.refresh_from_db()
    assert sent.state == "stored"


def correct(client, gold):
    sent = {"reason": "rows were exchanged", "gold_sl": SimpleUploadedFile("g.tsv", gold)}
    return client.post(page("correct"), sent)


def test_corrected_gold_is_used_after_its_effect_was_shown(as_ana, shared_task, submissions):
    before = {one.pk: one.scores.get().score for one in submissions}

    assert correct(as_ana, NEW).url == page("scores")
    assert 'http-equiv="refresh"' in as_ana.get(page("scores")).text
    perform_all()
    assert page("scoring", 2) in as_ana.get(page("scores")).text
    assert "scores or ranks change" in as_ana.get(page("scoring", 2)).text
    assert as_ana.post(page("use_scores", 2)).url == page("scores")

    assert Scoring.objects.get(number=2).state == "current"
    shown = as_ana.get(page("scores")).text
    assert "rows were exchanged" in shown
    assert "no longer matches the commitment" in shown
    kept = {one.pk: one.scores.get(scoring__number=1).score for one in submissions}
    assert kept == before


def test_a_correction_can_be_discarded(as_ana, shared_task, submissions):
    correct(as_ana, NEW)
    perform_all()

    as_ana.post(page("discard_scores", 2))

    assert Scoring.objects.get(number=2).state == "discarded"


@pytest.mark.parametrize("gold", [b"change\n1\n", gold_file(11), gold_file(12)])
def test_gold_that_cannot_be_used_is_refused(as_ana, shared_task, submissions, gold):
    assert correct(as_ana, gold).status_code == 422
    assert Scoring.objects.count() == 1


def test_a_failed_job_is_shown_and_goes_on(as_ana, shared_task, submissions):
    correct(as_ana, NEW)
    find_jobs(shared_task).update(state="failed", error="It was interrupted.")

    assert "It was interrupted." in as_ana.get(page("scores")).text
    assert page("repeat_scores", 2) in as_ana.get(page("scoring", 2)).text
    as_ana.post(page("repeat_scores", 2))
    perform_all()

    assert Scoring.objects.get(number=2).state == "ready"


@pytest.mark.usefixtures("boards_without_figures")
def test_results_without_a_description_are_confirmed_before_boards_are_final(
    as_ana, shared_task, submissions
):
    shown = as_ana.get(page("scores")).text
    assert "Herons, evaluation, subtask 1" in shown
    refused = as_ana.post(page("finalise"))
    assert (refused.status_code, "Decide about Herons" in refused.text) == (422, True)
    key = shown.split('name="settled" value="')[1].split('"')[0]

    assert as_ana.post(page("finalise"), {"settled": [key]}).url == page("scores")
    perform_all()

    shared_task.refresh_from_db()
    assert shared_task.state == "finalised"
    shown = as_ana.get(page("scores")).text
    assert "Publish the results" in shown
    assert reverse("sharedtasks:board", args=["gwsc", "evaluation", 1]) in shown


@pytest.mark.usefixtures("boards_without_figures")
def test_results_are_published_and_taken_back(as_ana, shared_task, submissions):
    key = as_ana.get(page("scores")).text.split('name="settled" value="')[1].split('"')[0]
    as_ana.post(page("finalise"), {"settled": [key]})
    perform_all()

    assert "the gold is no longer hidden" in as_ana.get(page("publish")).text
    assert as_ana.post(page("publish")).url == page("scores")
    shared_task.refresh_from_db()
    assert shared_task.is_published
    assert reverse("sharedtasks:archive", args=["gwsc"]) in as_ana.get(page("scores")).text
    assert as_ana.post(page("retract"), {"reason": ""}).status_code == 422
    as_ana.post(page("retract"), {"reason": "a person withdrew"})
    shared_task.refresh_from_db()
    assert (shared_task.state, shared_task.retracted_at is None) == ("finalised", False)
    assert "taken back on" in as_ana.get(page("overview")).text


def test_boards_wait_for_the_end_of_phases(as_ana, shared_task):
    make_data(shared_task)
    make_phase(shared_task)

    assert "cannot be final yet" in as_ana.get(page("scores")).text
    assert as_ana.post(page("finalise")).status_code == 422


def test_gold_is_on_no_page_of_organisers(as_ana, shared_task, submissions):
    part = shared_task.parts.get()
    gold = read_gold_file(part, practice=False)
    names = [("overview",), ("data",), ("phases",), ("rules",), ("opening",), ("teams",),
             ("submissions",), ("submission", submissions[0].pk), ("scores",), ("log",),
             ("scoring", 1)]  # fmt: skip

    for name, *values in names:
        body = as_ana.get(page(name, *values)).content
        assert gold not in body
        assert part.gold_sha256.encode() not in body
        assert shared_task.salt.encode() not in body


def test_the_waiting_submission_is_counted_as_such(as_ana, shared_task, past_phase):
    send(make_team(shared_task), past_phase, now=BEGIN)

    assert Submission.objects.get().state == "stored"
    assert "Waits for its scores" in as_ana.get(page("submissions")).text


def test_submissions_are_counted_by_team_and_day(as_ana, shared_task, submissions):
    RefusedUpload.objects.create(
        phase=submissions[0].phase, team=submissions[0].team, reasons=["a.tsv: no such file"]
    )

    shown = as_ana.get(page("days")).text

    assert "1 Jan" in shown
    assert "Herons" in shown
    assert "no such file" in shown


def test_baselines_are_submitted_once(as_ana, shared_task, past_phase):
    assert as_ana.post(page("baselines")).url == page("submissions")
    as_ana.post(page("baselines"))

    assert sorted(Submission.objects.values_list("team__name", "team__kind")) == [
        ("distance", "baseline"), ("form", "baseline"),
    ]  # fmt: skip


def test_organisers_submit_a_trial_run(as_ana, shared_task, past_phase):
    name, content = result_file(predictions())
    sent = {"phase": past_phase.pk, "baseline": "", "results": SimpleUploadedFile(name, content)}

    assert as_ana.get(page("own_files")).status_code == 200
    assert as_ana.post(page("own_files"), sent).url == page("submissions")
    wrong = {**sent, "results": SimpleUploadedFile(name, b"change\n1\n")}
    refused = as_ana.post(page("own_files"), wrong)

    assert (refused.status_code, "wanted 12" in refused.text) == (422, True)
    assert Submission.objects.get().team.kind == "trial"
