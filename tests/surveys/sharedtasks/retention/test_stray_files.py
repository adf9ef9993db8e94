"""Files of shared tasks whose rows were never committed are deleted; all others stay."""

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db.models import FileField
from django.utils import timezone

from surveys.sharedtasks.models import Scoring, ScoringState, Submission, TaskPart, Upload
from surveys.sharedtasks.models.tasks import name_private_file
from surveys.sharedtasks.retention.stray_files import KEPT, NAMING, drop_stray_files
from surveys.sharedtasks.scoring.rescoring import request_rescoring
from surveys.sharedtasks.uploads import check_files
from surveys.web.admin.read_only import list_tables
from tests.factories.sharedtasks import (
    START,
    make_data,
    make_phase,
    make_shared_task,
    make_team,
    predictions,
    result_file,
    send,
)
from tests.factories.task_files import gold_file

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)
NEW = gold_file(12).replace(b"0\t0\t0\n", b"0\t9\t9\n")


@pytest.fixture(autouse=True)
def files_folder(settings, tmp_path):
    """A site's own folder of files."""
    settings.MEDIA_ROOT = tmp_path
    return tmp_path / "sharedtasks"


def leave_file() -> None:
    """Write the file of an upload, and end before its row is stored."""
    Upload().file.save("results.zip", ContentFile(b"PK"), save=False)


def test_a_file_without_a_row_is_deleted_after_a_day(files_folder):
    leave_file()
    written = timezone.now()

    assert drop_stray_files(written + KEPT - timedelta(minutes=1)) == 0
    assert len(list(files_folder.iterdir())) == 1
    assert drop_stray_files(written + KEPT + SECOND) == 1

    assert list(files_folder.iterdir()) == []


def test_the_timer_keeps_a_fresh_file(files_folder):
    leave_file()

    call_command("drop_personal_data")

    assert len(list(files_folder.iterdir())) == 1


def test_a_site_without_shared_tasks_has_no_such_files():
    assert drop_stray_files(timezone.now()) == 0


def test_files_that_rows_name_stay(files_folder):
    shared_task = make_shared_task()
    phase, team = make_phase(shared_task), make_team(shared_task)
    make_data(shared_task)
    shared_task.archive.save("archive.zip", ContentFile(b"PK"))
    files = [result_file(predictions(1))]
    check_files(team, phase, files, by=None, now=START)
    send(team, phase, seed=2)
    Upload.objects.get(file=Submission.objects.get().file.name).delete()
    request_rescoring(shared_task, "A typing error", gold={"sl": NEW}, by=None)
    leave_file()
    named = {
        shared_task.archive.name,
        *TaskPart.objects.values_list("data", "gold", "practice_data", "practice_gold").get(),
        *Upload.objects.values_list("file", flat=True),
        *Submission.objects.values_list("file", flat=True),
        *Scoring.objects.get(state=ScoringState.COMPUTING).gold_files.values(),
    }

    assert drop_stray_files(timezone.now() + 2 * KEPT) == 1

    assert {f"sharedtasks/{path.name}" for path in files_folder.iterdir()} == named
    assert len(named) == 8


def test_every_column_that_names_such_a_file_is_read():
    columns = {
        (model._meta.label, field.name)
        for model in list_tables("surveys")
        for field in model._meta.get_fields()
        if isinstance(field, FileField) and field.upload_to is name_private_file
    }

    assert columns <= {(model, name) for model, names in NAMING.items() for name in names}
    # before the submissions that take over its file
    assert next(iter(NAMING)) == "sharedtasks.Upload"
