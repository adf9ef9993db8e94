"""Background jobs of shared tasks: one process performs each, and dead ones are noticed."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from surveys import tasks
from surveys.models.sharedtasks import Submission, TaskJob, TaskJobKind
from surveys.operations.broker import Job
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.jobs import (
    JobTaken,
    find_due_job,
    finish_job,
    perform_job,
    request_job,
    requeue_silent_jobs,
)
from tests.factories.sharedtasks import make_data, make_phase, make_shared_task, make_team, send

pytestmark = pytest.mark.django_db
KIND = TaskJobKind.RESCORE


@pytest.fixture
def shared_task():
    return make_shared_task()


@pytest.fixture
def job(shared_task):
    return request_job(shared_task, KIND, None)


def done(job, progress):
    progress(1, 2)
    finish_job(job)


def stored(job):
    job.refresh_from_db()
    return job.state, job.share_done, job.error


def test_a_job_is_performed_once(job):
    perform_job(job.pk, {KIND: done})
    perform_job(job.pk, {})

    assert stored(job) == ("done", 100, "")
    assert find_due_job() is None


def test_one_job_of_a_shared_task_at_a_time(shared_task, job):
    with pytest.raises(SharedTaskRefused, match="in progress"):
        request_job(shared_task, TaskJobKind.FINALISE, None)


def test_a_refusal_is_stored_as_the_error(job):
    def refuse(job, progress):
        raise SharedTaskRefused("Something waits.")

    perform_job(job.pk, {KIND: refuse})

    assert stored(job) == ("failed", 0, "Something waits.")


def test_an_unexpected_end_is_stored_and_raised(job):
    def break_off(job, progress):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        perform_job(job.pk, {KIND: break_off})

    assert stored(job)[0] == "failed"
    assert "interrupted" in stored(job)[2]


def test_a_silent_job_waits_again_and_its_first_process_stores_nothing(job):
    TaskJob.objects.update(state="running", heard_at=timezone.now() - timedelta(hours=1))

    assert [requeue_silent_jobs(), requeue_silent_jobs()] == [1, 0]

    assert find_due_job() == job.pk
    with pytest.raises(JobTaken):
        finish_job(job)


def test_a_job_with_signs_of_life_goes_on(job):
    TaskJob.objects.update(state="running", heard_at=timezone.now())

    assert requeue_silent_jobs() == 0


def test_progress_of_a_job_that_was_taken_ends_it(job):
    def lose(job, progress):
        TaskJob.objects.update(state="done")
        progress(1, 2)
        pytest.fail("it went on")

    perform_job(job.pk, {KIND: lose})

    assert stored(job)[0] == "done"


def fall_silent():
    """Let the process of a job give no sign of life for an hour, and another notice it."""
    TaskJob.objects.update(state="running", heard_at=timezone.now() - timedelta(hours=1))
    requeue_silent_jobs()


@pytest.mark.xfail(strict=True, reason="deaths are not counted, so the job is repeated for ever")
def test_a_job_that_has_killed_two_processes_has_failed(job):
    fall_silent()
    assert stored(job)[0] == "waiting"

    fall_silent()

    assert stored(job)[0] == "failed"
    assert find_due_job() is None


@pytest.mark.xfail(strict=True, reason="jobs have no lease, so a late process takes it for its own")
def test_a_silent_process_that_wakes_leaves_the_job_to_its_successor(job):
    def wake_late(job, progress):
        fall_silent()
        TaskJob.objects.update(state="running", heard_at=timezone.now())  # by the successor
        progress(1, 2)
        raise SharedTaskRefused("The first process goes on.")

    perform_job(job.pk, {KIND: wake_late})

    assert stored(job) == ("running", 0, "")


@pytest.fixture
def waiting():
    """A submission that waits for its scores."""
    shared_task = make_shared_task(slug="waiting")
    make_data(shared_task)
    return send(make_team(shared_task), make_phase(shared_task))


def test_workers_are_asked_to_score_and_to_perform_jobs(job, waiting, monkeypatch, settings):
    settings.BACKGROUND = "workers"
    asked = []
    monkeypatch.setattr(tasks.BROKER, "ask", lambda jobs: asked.append(jobs) or True)

    tasks.Dispatcher()._ask(tasks.BROKER)  # noqa: SLF001  # `look` closes the connection of the test

    assert asked == [{Job(tasks.score_submissions), Job(tasks.perform_task_jobs)}]


def test_threads_score_and_perform_jobs(job, waiting, monkeypatch, settings):
    settings.BACKGROUND = "threads"
    started = []
    monkeypatch.setattr(
        tasks.Dispatcher, "_start_thread", lambda self, work, name: started.append(name)
    )

    tasks.Dispatcher()._start_threads()  # noqa: SLF001

    assert started == ["score_submissions", "perform_task_jobs"]


@pytest.mark.django_db
def test_an_idle_dispatcher_writes_nothing(monkeypatch, settings):
    settings.BACKGROUND = "threads"
    monkeypatch.setattr(connection, "close", lambda: None)  # of the test

    with CaptureQueriesContext(connection) as queries:
        tasks.Dispatcher().look()

    assert queries
    assert {query["sql"].split()[0] for query in queries} == {"SELECT"}


def test_the_command_for_background_work_does_both(waiting, capsys):
    call_command("do_background_work")

    assert Submission.objects.get().state == "scored"
    assert "submissions scored: 1" in capsys.readouterr().out
