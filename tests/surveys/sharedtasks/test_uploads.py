"""Checking what teams send: nothing of it needs the gold, and nothing is an attempt."""

import io
import stat
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from surveys.sharedtasks.errors import SubmissionRefused, TooLate, UploadRefused
from surveys.sharedtasks.models import RefusedUpload, Submission, TaskPart, Upload
from surveys.sharedtasks.uploads import MOST_KEPT, check_files, drop_uploads
from tests.factories.sharedtasks import (
    START,
    make_data,
    make_phase,
    make_team,
    predictions,
    result_file,
    send,
)

pytestmark = pytest.mark.django_db


def check(team, phase, *files, now=START):
    return check_files(team, phase, files, by=None, now=now)


def test_files_are_kept_as_one_archive_that_only_the_site_can_read(team, phase):
    changes, scores = result_file(predictions()), result_file(predictions(), subtask=2)

    upload = check(team, phase, scores, changes)

    with zipfile.ZipFile(upload.file.path) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == dict([changes, scores])
    assert stat.S_IMODE(Path(upload.file.path).stat().st_mode) == 0o600
    assert "results" not in upload.file.name
    assert [(one["subtask"], one["language"], one["n"]) for one in upload.contents] == [
        (1, "sl", 12), (2, "sl", 12),
    ]  # fmt: skip
    assert Submission.objects.count() == 0


def test_the_digest_is_of_the_numbers_however_they_are_written(team, phase):
    plain = check(team, phase, result_file([1, 2.5, -3] * 4))
    name, content = result_file(["1.0", "25e-1", "-3"] * 4)

    assert check(team, phase, (name, b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))).digest == (
        plain.digest
    )
    assert check(team, phase, result_file([1, 2.5, 3] * 4)).digest != plain.digest


def test_the_gold_is_not_read(team, phase):
    TaskPart.objects.update(gold="sharedtasks/not-there")

    assert check(team, phase, result_file(predictions())).pk


def test_refused_files_are_counted_with_all_reasons_and_are_not_kept(team, phase):
    name, content = result_file([1, 2])

    with pytest.raises(UploadRefused) as refused:
        check(team, phase, (name, content), ("results_subtask2_hr.tsv", b""))

    message = str(refused.value)
    assert "2 rows, wanted 12" in message
    assert "did you mean results_subtask2_sl.tsv? The languages are: sl" in message
    assert [one[0] for one in refused.value.problems] == ["results_subtask2_hr.tsv", name]
    assert RefusedUpload.objects.get().reasons == message.splitlines()
    assert Upload.objects.count() == 0


def test_words_of_the_data_file_are_compared(team, phase):
    name, content = result_file(predictions())
    lines = content.decode().splitlines()
    rows = [f"{line}\tword" for line in lines[1:]]

    with pytest.raises(UploadRefused, match="the data file has"):
        check(team, phase, (name, "\n".join([f"{lines[0]}\tword1", *rows]).encode()))


def test_a_subtask_that_the_phase_lacks_is_refused(team, shared_task):
    phase = make_phase(shared_task, "changes", subtasks=[1])

    with pytest.raises(UploadRefused, match="has no subtask 2"):
        check(team, phase, result_file(predictions(), subtask=2))


def test_required_languages_must_be_there(team, phase, shared_task):
    make_data(shared_task, "hr")
    shared_task.required_languages = ["hr"]
    shared_task.save()

    with pytest.raises(UploadRefused, match=r"results_subtask1_hr\.tsv is missing"):
        check(team, phase, result_file(predictions()))

    assert check(team, phase, result_file(predictions(), language="hr")).pk


def test_practice_files_have_the_rows_of_the_practice_data(team, shared_task):
    phase = make_phase(shared_task, "practice", data="practice")

    with pytest.raises(UploadRefused, match="12 rows, wanted 4"):
        check(team, phase, result_file(predictions()))

    assert check(team, phase, result_file([1, 2, 3, 4])).contents[0]["n"] == 4


def test_the_numbers_of_a_baseline_give_a_warning(team, phase, shared_task):
    baseline = make_team(shared_task, "form", kind="baseline")
    send(baseline, phase)

    upload = check(team, phase, result_file(predictions()))

    assert "the baseline form" in upload.warnings[0]["reason"]


def test_ignored_files_are_told(team, phase):
    upload = check(team, phase, result_file(predictions()), (".DS_Store", b"x"))

    assert upload.warnings == [{"file": ".DS_Store", "reason": "ignored"}]


def test_the_same_predictions_are_refused_by_naming_the_earlier_submission(team, phase):
    send(team, phase)

    with pytest.raises(SubmissionRefused, match="your submission 1 of 2027-01-01"):
        check(team, phase, result_file(predictions()))

    assert RefusedUpload.objects.count() == 1


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("pending", "have not accepted"),
        ("excluded", "excluded your team: two accounts"),
        ("withdrawn", "has withdrawn"),
    ],
)
def test_teams_that_are_not_accepted_send_nothing(phase, shared_task, state, words):
    reason = "two accounts" if state == "excluded" else ""
    team = make_team(shared_task, state=state, state_reason=reason)

    with pytest.raises(SubmissionRefused, match=words):
        check(team, phase, result_file(predictions()))

    assert RefusedUpload.objects.count() == 0


def test_nothing_is_checked_outside_a_phase(team, phase):
    second = timedelta(seconds=1)

    with pytest.raises(SubmissionRefused, match="opens on 2027-01-01 at 12:00"):
        check(team, phase, result_file(predictions()), now=START - second)
    with pytest.raises(TooLate, match="ended on 2027-01-08 at 12:00:00"):
        check(team, phase, result_file(predictions()), now=phase.closes_at)

    assert check(team, phase, result_file(predictions()), now=phase.closes_at - second).pk


def test_organisers_may_send_before_a_phase_opens(phase, shared_task):
    trial = make_team(shared_task, "trial", kind="trial")

    assert check(trial, phase, result_file(predictions()), now=START - timedelta(days=1)).pk


def test_checked_files_are_dropped_after_a_day_unless_submitted(
    team, phase, django_capture_on_commit_callbacks
):
    submitted = send(team, phase)
    other = check(team, phase, result_file(predictions(2)))
    Upload.objects.update(checked_at=timezone.now() - timedelta(days=2))

    with django_capture_on_commit_callbacks(execute=True):
        assert drop_uploads() == 2

    assert Upload.objects.count() == 0
    assert not other.file.storage.exists(other.file.name)
    assert zipfile.is_zipfile(io.BytesIO(submitted.file.read()))


def test_only_the_last_checked_files_of_a_team_are_kept(team, phase):
    for seed in range(MOST_KEPT + 2):
        last = check(team, phase, result_file([seed, *predictions()[1:]]))

    assert team.uploads.count() == MOST_KEPT
    assert team.uploads.first() == last
