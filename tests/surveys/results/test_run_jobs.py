"""Jobs that make runs: what is stored with their end, and what is left of an interrupted one."""

import pytest
from django.core.files.base import ContentFile

from surveys.features import Lane
from surveys.jobs.queue import list_due, make_lease
from surveys.models import AuditEntry, Delivery, Job, Run
from surveys.results.run_jobs import makes_run
from surveys.results.runs import request_export, retry_run
from surveys.webhooks.messages import add_webhook
from tests.factories.jobs import fall_silent, let_time_pass, made_by, perform_run
from tests.factories.studies import make_study, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # locks and instants


@pytest.fixture
def idle_run() -> Run:
    """A run that waits."""
    return request_export(make_study(1), "csv", None)


def perform_by(maker, run):
    with made_by(makes_run(maker)):
        perform_run(run.pk)


def test_a_run_whose_process_dies_twice_fails_and_can_be_retried(idle_run):
    add_webhook(idle_run.study, "https://lab.example.org/", ["run.finished"])
    for _ in range(2):
        Job.objects.update(state="running", lease=make_lease())
        fall_silent()
    let_time_pass()

    idle_run.refresh_from_db()
    assert (idle_run.state, "twice" in idle_run.error, idle_run.finished_at) == (
        "failed",
        True,
        None,
    )
    assert Delivery.objects.get().payload["state"] == "failed"
    assert list_due(Lane.LONG) == []
    perform_run(retry_run(idle_run).pk)
    assert stored(idle_run, "state", "n_deaths", "error") == ("done", 0, "")
    assert Delivery.objects.latest("pk").payload["state"] == "done"


def test_results_without_a_lease_are_discarded(idle_run, settings):
    """For example those of a process that was suspended and counted as dead."""

    def lose_the_lease(run, progress):
        run.archive.save("late.csv", ContentFile(b"late"), save=False)
        Job.objects.update(lease=make_lease())
        return {"report": {"n_rows": 7}}

    perform_by(lose_the_lease, idle_run)

    assert stored(idle_run, "state", "report", "archive") == ("running", None, "")
    folder = settings.MEDIA_ROOT / "runs" / str(idle_run.pk)
    assert not folder.exists() or list(folder.iterdir()) == []


def test_a_run_is_not_done_without_a_report(idle_run):
    with pytest.raises(KeyError, match="report"):
        perform_by(lambda run, progress: {"number": 7}, idle_run)

    assert stored(idle_run, "state", "number") == ("failed", 1)
    assert not AuditEntry.objects.filter(action="export.made").exists()


def test_files_of_a_killed_process_are_deleted(idle_run, settings):
    left = settings.MEDIA_ROOT / "runs" / str(idle_run.pk) / "left.csv"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_text("answers")

    perform_run(idle_run.pk)

    assert not left.exists()
    assert stored(idle_run, "state") == ("done",)
