"""Runs of a batch in the background: progress, errors, retries."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.crowd.budget import withdraw_approval
from surveys.crowd.models import Batch, BatchWork, Grant
from surveys.crowd.mturk.batch_jobs import request_batch_work
from surveys.crowd.mturk.gateway import open_gateway
from surveys.crowd.mturk.qualifications import (
    ensure_type,
    grant_qualification,
    quality_annotators,
    request_sending,
)
from surveys.errors import RunRefused
from surveys.models import AuditEntry, Job, Run, RunKind, Worker
from surveys.results.runs import retry_run
from tests.factories.batches import arm, plan
from tests.factories.jobs import let_time_pass, perform_all, perform_run
from tests.factories.studies import make_study, stored
from tests.factories.workers import do_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def planned(platform) -> Batch:
    return arm(plan(make_study(2, ratings_per_context=2), 2))


def perform(batch: Batch, kind: BatchWork) -> Run:
    run = request_batch_work(batch, kind, None)
    perform_run(run.pk)
    run.refresh_from_db()
    return run


def perform_and_read_pause(run: Run) -> int | None:
    """Perform a run and return the seconds it then waits, or None."""
    perform_run(run.pk)
    run.refresh_from_db()
    job = run.job
    return round((job.due_at - job.heard_at).total_seconds()) if run.state == "waiting" else None


def test_runs_publish_fetch_pay_and_stop(platform, planned):
    published = perform(planned, BatchWork.PUBLISH)
    do_task(platform, planned)
    others = [perform(planned, kind) for kind in (BatchWork.FETCH, BatchWork.PAY, BatchWork.STOP)]

    assert [(run.state, run.report["counts"]) for run in (published, *others)] == [
        ("done", {"created": 1}), ("done", {"payable": 1}), ("done", {"paid": 1}),
        ("done", {"ended": 1}),
    ]  # fmt: skip
    assert AuditEntry.objects.filter(action="publish.requested").exists()


def test_the_error_of_a_row_is_shown_by_the_run(platform, planned):
    platform.control.set_balance("simulator", "0.10")

    run = perform(planned, BatchWork.PUBLISH)

    assert (run.state, run.report["counts"]) == ("done", {})
    assert "insufficient funds" in run.report["errors"][0]


def test_a_run_that_is_refused_has_failed_and_says_why(planned):
    withdraw_approval(planned)

    run = perform(planned, BatchWork.PUBLISH)

    assert (run.state, "is not approved" in run.error) == ("failed", True)


def test_a_run_waits_for_a_target_that_is_down_and_resumes(platform, planned):
    platform.control.queue_fault("CreateHITType", "fail", n_calls=6)
    run = request_batch_work(planned, BatchWork.PUBLISH, None)

    assert [perform_and_read_pause(run) for _ in range(3)] == [15, 30, None]

    assert stored(run, "state", "error") == ("done", "")
    assert planned.hits.get().state == "live"


def test_a_run_fails_after_too_many_tries_and_can_be_retried(platform, planned):
    platform.control.queue_fault("CreateHITType", "fail", n_calls=3 * 6)
    run = request_batch_work(planned, BatchWork.PUBLISH, None)

    pauses = [perform_and_read_pause(run) for _ in range(6)]

    assert pauses == [15, 30, 60, 120, 240, None]
    assert stored(run, "state") == ("failed",)
    perform_run(retry_run(run).pk)
    assert stored(run, "state", "error") == ("done", "")


def test_the_same_work_is_not_requested_twice_at_once(planned):
    request_batch_work(planned, BatchWork.PUBLISH, None)

    with pytest.raises(RunRefused, match="in progress"):
        request_batch_work(planned, BatchWork.PUBLISH, None)
    with pytest.raises(RunRefused):
        request_batch_work(planned, RunKind.LINKS, None)

    request_batch_work(planned, BatchWork.FETCH, None)


def test_the_console_shows_the_result(
    client, platform, planned, django_capture_on_commit_callbacks
):
    client.force_login(User.objects.create_superuser("boss"))
    platform.control.set_balance("simulator", "0.10")
    with django_capture_on_commit_callbacks(execute=True):
        request_batch_work(planned, BatchWork.PUBLISH, None)

    page = client.get(reverse("console:jobs", args=["study"])).content.decode()

    assert "Publishing of a batch" in page
    assert "insufficient funds" in page


def test_grants_are_sent_in_the_background(platform, planned, django_capture_on_commit_callbacks):
    ours = quality_annotators(planned.study, "simulator")
    ensure_type(open_gateway("simulator"), ours)
    worker = platform.worker()
    request_sending("simulator")
    assert "AssociateQualificationWithWorker" not in platform.control.counts()
    known = Worker.objects.create(provider="simulator", worker_id=worker.worker_id)
    grant_qualification(ours, known, reason="good")
    platform.control.queue_fault("AssociateQualificationWithWorker", "fail", n_calls=3)

    with django_capture_on_commit_callbacks(execute=True):
        request_sending("simulator")
    assert Grant.objects.filter(told_at=None).count() == 1
    let_time_pass()
    request_sending("simulator")  # joins the job that was put off
    perform_all()

    assert Grant.objects.filter(told_at=None).count() == 0
    assert Job.objects.get().state == "done"
