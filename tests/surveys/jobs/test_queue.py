"""The queue: what is stored when a job is requested, joined, cancelled, retried and given up."""

from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.errors import JobBusy
from surveys.features import Lane
from surveys.jobs import queue
from surveys.jobs.perform import perform, perform_due
from surveys.jobs.queue import (
    PROCESS_NAME,
    cancel,
    count_due,
    drop_finished,
    enqueue,
    list_due,
    make_lease,
    release_own,
    retry,
)
from surveys.models import Job, JobState
from tests.factories.jobs import (
    WORK,
    fall_silent,
    let_time_pass,
    perform_all,
    perform_by,
    register_work,
)
from tests.factories.studies import stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # constraints and instants
ENDED: list[tuple[str, str]] = []


def note_end(job):
    ENDED.append((job.state, job.error))


def let_run(job, **fields):
    """Let a process perform a job."""
    Job.objects.filter(pk=job.pk).update(state="running", **{"lease": make_lease(), **fields})
    job.refresh_from_db()
    return job


def test_a_job_waits_with_what_was_requested():
    job = enqueue(WORK, {"form": "csv"}, scope="study:3")

    assert stored(job, "state", "request", "scope") == ("waiting", {"form": "csv"}, "study:3")
    assert list_due(Lane.LONG) == [job.pk]
    assert list_due(Lane.SHORT) == []


def test_jobs_are_due_in_the_order_of_their_instants():
    now = timezone.now()
    later = enqueue(WORK, due_at=now - timedelta(seconds=1))
    earlier = enqueue(WORK, due_at=now - timedelta(seconds=2))
    enqueue(WORK, due_at=now + timedelta(minutes=1))

    assert list_due(Lane.LONG) == [earlier.pk, later.pk]
    assert list_due(Lane.LONG, 1) == [earlier.pk]


@pytest.mark.needs("sharedtasks")
def test_due_jobs_are_counted_by_lane_in_one_query(django_assert_num_queries):
    register_work(lane=Lane.SHORT)
    enqueue(WORK), enqueue(WORK), enqueue("sharedtasks.rescore")
    enqueue(WORK, due_at=timezone.now() + timedelta(minutes=1))
    Job.objects.create(kind="elsewhere.work")

    with django_assert_num_queries(1):
        assert count_due() == {Lane.SHORT: 2, Lane.LONG: 1}


def test_one_job_of_a_key_is_under_way():
    job = enqueue(WORK, key="study:3")
    with pytest.raises(JobBusy, match="already in progress"):
        enqueue(WORK, key="study:3")
    enqueue(WORK, key="study:4")
    enqueue(WORK)
    enqueue(WORK)

    perform(job.pk)

    assert enqueue(WORK, key="study:3").state == JobState.WAITING


def test_a_second_insert_with_a_key_is_refused_by_the_database(monkeypatch):
    enqueue(WORK, key="study:3")
    monkeypatch.setattr("django.db.models.QuerySet.exists", lambda self: False)  # a race

    with pytest.raises(JobBusy):
        enqueue(WORK, key="study:3")


def test_a_drain_that_waits_is_joined():
    register_work(drains=True)
    job = enqueue(WORK, key="study:3")

    assert enqueue(WORK, key="study:3") == job

    assert perform_all() == 1
    assert stored(job, "state", "is_wanted_again") == ("done", False)


def test_a_drain_that_runs_is_performed_once_more():
    register_work(drains=True)
    job = enqueue(WORK, key="study:3")

    def work(job, progress):
        if not rounds:
            assert enqueue(WORK, key="study:3") == job
        rounds.append(job.pk)

    rounds: list[int] = []
    assert perform_by(work, job).state == "waiting"
    assert perform_by(work, job).state == "done"
    assert rounds == [job.pk] * 2


def test_a_silent_job_is_repeated_once_and_then_has_failed():
    ENDED.clear()
    register_work(ended=f"{__name__}.note_end")
    job = let_run(enqueue(WORK), stage="writing", share_done=3)

    fall_silent()
    assert stored(job, "state", "lease", "stage", "n_deaths") == ("waiting", "", "", 1)
    let_run(job)
    fall_silent()
    fall_silent()

    job.refresh_from_db()
    assert (job.state, job.n_deaths, "twice" in job.error) == ("failed", 1, True)
    assert [("failed", job.error)] == ENDED
    let_time_pass()
    assert list_due(Lane.LONG) == []


def test_a_job_with_signs_of_life_goes_on():
    job = let_run(enqueue(WORK))

    queue.requeue_silent()

    assert stored(job, "state", "n_deaths") == ("running", 0)


def test_a_job_that_must_not_be_repeated_fails_with_its_process():
    register_work(is_repeatable=False)
    killed, terminated = let_run(enqueue(WORK)), let_run(enqueue(WORK))

    fall_silent()
    let_run(terminated)
    release_own()

    for job in (killed, terminated):
        job.refresh_from_db()
        assert (job.state, "interrupted" in job.error) == ("failed", True)


def test_jobs_of_other_processes_are_not_released():
    own = let_run(enqueue(WORK))
    other = let_run(enqueue(WORK), lease=f"{PROCESS_NAME}0-elsewhere")

    release_own()

    assert stored(own, "state", "n_deaths") == ("waiting", 0)
    assert stored(other, "state") == ("running",)


def test_a_job_that_waits_or_runs_can_be_cancelled_once():
    ENDED.clear()
    register_work(ended=f"{__name__}.note_end")
    waiting, running, done = enqueue(WORK), let_run(enqueue(WORK)), enqueue(WORK)
    Job.objects.filter(pk=done.pk).update(state="done")

    assert [cancel(job) for job in (waiting, running, done)] == [True, True, False]

    assert stored(running, "state", "lease") == ("cancelled", "")
    assert cancel(waiting) is False
    assert ENDED == [("cancelled", "")] * 2
    assert perform_due(Lane.LONG) == 0


def test_a_failed_or_silent_job_of_an_installed_app_can_be_retried():
    failed, silent, running = enqueue(WORK), let_run(enqueue(WORK)), let_run(enqueue(WORK))
    Job.objects.filter(pk=failed.pk).update(state="failed", error="no", n_deaths=1, n_tries=5)
    Job.objects.filter(pk=silent.pk).update(heard_at=timezone.now() - timedelta(hours=1))

    jobs = (failed, silent, running, Job.objects.create(kind="elsewhere", state="failed"))

    assert [retry(job) for job in jobs] == [True, True, False, False]

    assert stored(failed, "state", "error", "n_deaths", "n_tries") == ("waiting", "", 0, 0)
    assert list_due(Lane.LONG) == [failed.pk, silent.pk]


def test_a_failed_job_is_not_retried_beside_its_successor():
    failed = enqueue(WORK, key="study:3")
    Job.objects.update(state="failed")
    enqueue(WORK, key="study:3")

    with pytest.raises(JobBusy):
        retry(failed)

    assert stored(failed, "state") == ("failed",)


def test_finished_jobs_are_deleted_after_a_time():
    register_work(kept=timedelta(days=3))
    old, young, waiting = enqueue(WORK), enqueue(WORK), enqueue(WORK)
    for job, days in ((old, 4), (young, 2)):
        finished_at = timezone.now() - timedelta(days=days)
        Job.objects.filter(pk=job.pk).update(state="done", finished_at=finished_at)

    drop_finished()

    assert set(Job.objects.all()) == {young, waiting}
    register_work(kept=None)
    Job.objects.update(finished_at=timezone.now() - timedelta(days=999))
    drop_finished()
    assert Job.objects.count() == 2


def test_jobs_of_an_app_that_is_switched_off_wait():
    job = let_run(enqueue(WORK))
    Job.objects.update(kind="elsewhere.work")

    fall_silent()

    assert stored(job, "state") == ("running",)
    assert list_due(Lane.LONG) == []
