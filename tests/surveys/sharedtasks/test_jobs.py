"""Background jobs of shared tasks; `tests/surveys/jobs` has the engine."""

import pytest

from surveys.models import Job as StoredJob
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.tasks import ARCHIVE, FINALISE, RESCORE, request_job, request_new_archive
from tests.factories.jobs import fall_silent, perform_by
from tests.factories.sharedtasks import make_shared_task
from tests.factories.studies import stored

pytestmark = [pytest.mark.django_db, pytest.mark.shared_task(has_data=False)]


@pytest.fixture
def rescore_job(shared_task):
    return request_job(shared_task, RESCORE, None)


def test_one_job_of_a_shared_task_at_a_time(shared_task, rescore_job):
    with pytest.raises(SharedTaskRefused, match="in progress"):
        request_job(shared_task, FINALISE, None)

    request_job(make_shared_task(slug="other"), FINALISE, None)


def test_an_archive_is_requested_beside_other_jobs_and_once(shared_task, rescore_job):
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
