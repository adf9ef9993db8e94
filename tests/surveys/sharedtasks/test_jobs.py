"""Background jobs of shared tasks, and how they are found; `tests/surveys/jobs` has the engine."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from surveys import tasks
from surveys.models import Job as StoredJob
from surveys.models.sharedtasks import Submission
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.jobs import ARCHIVE, FINALISE, RESCORE, request_job, request_new_archive
from tests.factories.jobs import fall_silent, perform_by
from tests.factories.sharedtasks import make_data, make_phase, make_shared_task, make_team, send
from tests.factories.studies import stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def shared_task():
    return make_shared_task()


@pytest.fixture
def job(shared_task):
    return request_job(shared_task, RESCORE, None)


def test_one_job_of_a_shared_task_at_a_time(shared_task, job):
    with pytest.raises(SharedTaskRefused, match="in progress"):
        request_job(shared_task, FINALISE, None)

    request_job(make_shared_task(slug="other"), FINALISE, None)


def test_an_archive_is_requested_beside_other_jobs_and_once(shared_task, job):
    for _ in range(2):
        request_new_archive(shared_task, None)

    assert StoredJob.objects.filter(kind=ARCHIVE).count() == 1


@pytest.mark.every_database
def test_final_boards_that_have_killed_two_processes_have_failed(shared_task):
    job = request_job(shared_task, FINALISE, None)

    for state in ("waiting", "failed"):
        StoredJob.objects.update(state="running")
        fall_silent()
        assert stored(job, "state") == (state,)


def test_an_archive_requested_while_it_is_made_is_made_again(shared_task):
    request_new_archive(shared_task, None)
    job = StoredJob.objects.get()

    job = perform_by(lambda *_: request_new_archive(shared_task, None), job)

    assert job.state == "waiting"


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

    assert asked == [{tasks.score_submissions, tasks.perform_long_jobs}]


def test_threads_score_and_perform_jobs(job, waiting, monkeypatch, settings):
    settings.BACKGROUND = "threads"
    started = []
    monkeypatch.setattr(
        tasks.Dispatcher, "_start_thread", lambda self, work, name: started.append(name)
    )

    tasks.Dispatcher()._start_threads()  # noqa: SLF001

    assert started == ["score_submissions", "perform_long_jobs"]


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
