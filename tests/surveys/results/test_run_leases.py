"""Leases: a run of a killed process is retried once, and completed by one process."""

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from surveys import tasks
from surveys.access.webhooks import add_webhook
from surveys.models import Delivery, Run, RunState
from surveys.results.run_leases import (
    PROCESS_NAME,
    lease_duration,
    make_lease,
    release_own_runs,
    report_progress,
    requeue_silent_runs,
)
from surveys.results.runs import request_export, retry_run
from surveys.tasks import list_due_runs, perform_run, perform_runs
from tests.factories.studies import make_study, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # locks and instants


@pytest.fixture
def run() -> Run:
    """A run in progress."""
    run = request_export(make_study(1), "csv", None)
    Run.objects.update(state=RunState.RUNNING, lease=make_lease(), stage="writing", share_done=3)
    run.refresh_from_db()
    return run


def expire_lease() -> None:
    Run.objects.update(heard_at=timezone.now() - lease_duration() - timedelta(seconds=1))


def pass_time() -> None:
    Run.objects.update(due_at=timezone.now())


def test_an_expired_run_is_retried_automatically(run):
    expire_lease()

    requeue_silent_runs()

    assert stored(run, "state", "lease", "stage", "n_deaths") == ("waiting", "", "", 1)
    pass_time()
    assert perform_runs() == 1
    assert stored(run, "state", "lease") == ("done", "")


def test_a_run_that_expires_twice_fails_and_can_be_retried(run):
    add_webhook(run.study, "https://lab.example.org/", ["run.finished"])
    Run.objects.update(n_deaths=1)
    expire_lease()

    requeue_silent_runs()
    requeue_silent_runs()

    run.refresh_from_db()
    assert (run.state, "twice" in run.error) == ("failed", True)
    assert Delivery.objects.get().payload["state"] == "failed"
    assert list_due_runs(1) == []
    perform_run(retry_run(run).pk)
    assert stored(run, "state", "n_deaths", "error") == ("done", 0, "")


def test_a_run_with_a_valid_lease_stays_running(run):
    requeue_silent_runs()

    assert stored(run, "state", "n_deaths") == ("running", 0)


@pytest.mark.parametrize("end", [SystemExit, KeyboardInterrupt])
def test_a_terminated_process_gives_its_run_back(run, monkeypatch, end):
    def end_process(run, progress):
        raise end

    Run.objects.update(state=RunState.WAITING)
    monkeypatch.setitem(tasks.MAKERS, run.kind, end_process)
    with pytest.raises(end):
        perform_run(run.pk)

    assert stored(run, "state", "n_deaths", "error") == ("waiting", 0, "")
    pass_time()
    assert list_due_runs(1) == [run.pk]


def test_release_own_runs_leaves_those_of_other_processes(run):
    other = request_export(run.study, "csv", None)
    lease = f"{PROCESS_NAME}0-elsewhere"
    Run.objects.filter(pk=other.pk).update(state=RunState.RUNNING, lease=lease)

    release_own_runs()

    assert stored(run, "state", "n_deaths") == ("waiting", 0)
    assert stored(other, "state") == ("running",)


def test_results_without_a_lease_are_discarded(run, monkeypatch, settings):
    """For example those of a process that was suspended and counted as dead."""

    def lose_the_lease(run, progress):
        run.archive.save("late.csv", ContentFile(b"late"), save=False)
        Run.objects.update(lease=make_lease())
        return {"report": {"n_rows": 7}}

    Run.objects.update(state=RunState.WAITING)
    monkeypatch.setitem(tasks.MAKERS, run.kind, lose_the_lease)

    perform_run(run.pk)

    assert stored(run, "state", "report", "archive") == ("running", None, "")
    folder = settings.MEDIA_ROOT / "runs" / str(run.pk)
    assert not folder.exists() or list(folder.iterdir()) == []


def test_a_run_without_a_lease_stops_at_its_next_step(run, monkeypatch):
    steps = []

    def lose_the_lease(run, progress):
        Run.objects.update(lease=make_lease())
        progress("next", 0, 1)
        steps.append("more")

    Run.objects.update(state=RunState.WAITING)
    monkeypatch.setitem(tasks.MAKERS, run.kind, lose_the_lease)

    perform_run(run.pk)

    assert (steps, stored(run, "state", "error")) == ([], ("running", ""))


def test_perform_run_deletes_files_of_a_killed_process(run, settings):
    left = settings.MEDIA_ROOT / "runs" / str(run.pk) / "left.csv"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_text("answers")
    Run.objects.update(state=RunState.WAITING)

    perform_run(run.pk)

    assert not left.exists()
    assert stored(run, "state") == ("done",)


def test_postponed_runs_are_not_due(run):
    Run.objects.update(state=RunState.WAITING, due_at=timezone.now() + timedelta(minutes=1))

    assert (list_due_runs(1), perform_runs()) == ([], 0)


@pytest.mark.parametrize(
    ("seconds", "stage"),
    [
        (4, "reading"),
        (6, "reading, less than a minute left"),
        (60, "reading, about 3 minutes left"),
        (3_600, "reading, about 3 h left"),
        (36_000, "reading, about 25 h left"),
    ],
)
def test_progress_has_the_time_left_after_some_seconds(run, monkeypatch, seconds, stage):
    begun = timezone.now()
    report = report_progress(run)
    report("reading", 10, 80)
    assert stored(run, "stage", "share_done") == ("reading", 12)

    monkeypatch.setattr(
        "surveys.results.run_leases.timezone.now", lambda: begun + timedelta(seconds=seconds)
    )
    report("reading", 30, 80)

    assert stored(run, "stage", "share_done") == (stage, 37)
