"""What a backup must hold: every file that the database names."""

import pytest

from surveys.operations.backups.archive import find_missing_files, write_backup
from surveys.operations.backups.dumps import dump_database
from surveys.sharedtasks.models import Submission
from tests.factories.sharedtasks import make_data, make_phase, make_shared_task, make_team, send

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def submission():
    shared_task = make_shared_task()
    make_data(shared_task)
    return send(make_team(shared_task), make_phase(shared_task))


def test_files_of_shared_tasks_are_named(submission, tmp_path):
    part = submission.phase.shared_task.parts.get()

    named = dump_database(tmp_path / "dump").named_files

    assert {submission.file.name, part.gold.name, part.practice_data.name} <= named


def test_a_lost_file_of_a_submission_is_reported(submission, tmp_path):
    submission.file.storage.delete(submission.file.name)

    manifest = write_backup(tmp_path / "backup.tar.gz")

    assert find_missing_files(manifest) == [Submission.objects.get().file.name]
