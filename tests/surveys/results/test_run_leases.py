"""A run whose process has died is found, tried again once, and done by one process."""

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from surveys import outbox
from surveys.access.webhooks import add_webhook
from surveys.models import Delivery, Run, RunState
from surveys.outbox import list_due_runs, perform_due_runs, perform_run
from surveys.results.run_leases import HERE, make_lease, release_all, silence, take_back_silent_runs
from surveys.results.runs import request_export, retry_run
from tests.factories import make_study, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """A run that a process performs."""
    run = request_export(make_study(1), "csv", None)
    Run.objects.update(state=RunState.RUNNING, lease=make_lease(), stage="writing", share_done=3)
    run.refresh_from_db()
    return run


def fall_silent() -> None:
    Run.objects.update(heard_at=timezone.now() - silence() - timedelta(seconds=1))


def pass_time() -> None:
    Run.objects.update(due_at=timezone.now())


def test_a_run_that_fell_silent_is_tried_again_by_itself(run):
    fall_silent()

    take_back_silent_runs()

    assert stored(run, "state", "lease", "stage", "n_deaths") == ("waiting", "", "", 1)
    pass_time()
    assert perform_due_runs() == 1
    assert stored(run, "state", "lease") == ("done", "")


def test_a_run_that_fell_silent_twice_has_failed_and_a_person_tries_again(run):
    add_webhook(run.study, "https://lab.example.org/", ["run.finished"])
    Run.objects.update(n_deaths=1)
    fall_silent()

    take_back_silent_runs()
    take_back_silent_runs()

    run.refresh_from_db()
    assert (run.state, "twice" in run.error) == ("failed", True)
    assert Delivery.objects.get().payload["state"] == "failed"
    assert list_due_runs(1) == []
    perform_run(retry_run(run).pk)
    assert stored(run, "state", "n_deaths", "error") == ("done", 0, "")


def test_a_run_that_gives_signs_of_life_is_left_alone(run):
    take_back_silent_runs()

    assert stored(run, "state", "n_deaths") == ("running", 0)


@pytest.mark.parametrize("end", [SystemExit, KeyboardInterrupt])
def test_a_process_that_is_told_to_end_gives_its_run_back(run, monkeypatch, end):
    def end_process(run, tell):
        raise end

    Run.objects.update(state=RunState.WAITING)
    monkeypatch.setitem(outbox.MAKERS, run.kind, end_process)
    with pytest.raises(end):
        perform_run(run.pk)

    assert stored(run, "state", "n_deaths", "error") == ("waiting", 0, "")
    pass_time()
    assert list_due_runs(1) == [run.pk]


def test_a_process_gives_back_its_own_runs_alone(run):
    other = request_export(run.study, "csv", None)
    Run.objects.filter(pk=other.pk).update(state=RunState.RUNNING, lease=f"{HERE}0-elsewhere")

    release_all()

    assert stored(run, "state", "n_deaths") == ("waiting", 0)
    assert stored(other, "state") == ("running",)


def test_what_is_made_without_a_lease_is_dropped(run, monkeypatch, settings):
    """As by a process that was stopped for a while, and counted as dead."""

    def lose_the_lease(run, tell):
        run.archive.save("late.csv", ContentFile(b"late"), save=False)
        Run.objects.update(lease=make_lease())
        return {"report": {"n_rows": 7}}

    Run.objects.update(state=RunState.WAITING)
    monkeypatch.setitem(outbox.MAKERS, run.kind, lose_the_lease)

    perform_run(run.pk)

    assert stored(run, "state", "report", "archive") == ("running", None, "")
    folder = settings.MEDIA_ROOT / "runs" / str(run.pk)
    assert not folder.exists() or list(folder.iterdir()) == []


def test_a_run_that_lost_its_lease_stops_at_its_next_step(run, monkeypatch):
    steps = []

    def lose_the_lease(run, tell):
        Run.objects.update(lease=make_lease())
        tell("next", 0, 1)
        steps.append("more")

    Run.objects.update(state=RunState.WAITING)
    monkeypatch.setitem(outbox.MAKERS, run.kind, lose_the_lease)

    perform_run(run.pk)

    assert (steps, stored(run, "state", "error")) == ([], ("running", ""))


def test_what_a_dead_process_left_is_removed(run, settings):
    left = settings.MEDIA_ROOT / "runs" / str(run.pk) / "left.csv"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_text("answers")
    Run.objects.update(state=RunState.WAITING)

    perform_run(run.pk)

    assert not left.exists()
    assert stored(run, "state") == ("done",)


def test_runs_that_wait_until_later_are_not_due(run):
    Run.objects.update(state=RunState.WAITING, due_at=timezone.now() + timedelta(minutes=1))

    assert (list_due_runs(1), perform_due_runs()) == ([], 0)


def test_what_an_earlier_version_left_behind_is_not_begun_by_itself(run):
    from importlib import import_module

    from django.apps import apps

    migration = import_module("surveys.migrations.0022_leases_of_runs")
    Run.objects.update(state=RunState.WAITING, heard_at=timezone.now() - timedelta(hours=1))
    waiting = request_export(run.study, "csv", None)

    migration.fail_what_was_left_behind(apps, None)

    assert (stored(run, "state"), stored(waiting, "state")) == (("failed",), ("waiting",))
