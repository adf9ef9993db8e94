"""The finished demo shared task: its board is published, and it is the same each time."""

import pytest

from surveys.models import SharedTask
from surveys.models.sharedtasks import FrozenBoard, SharedTaskState, SubmissionState
from surveys.models.sharedtasks.submissions import Submission
from surveys.rehearsal.finished.shared_task import SLUG, TEAMS, prepare_shared_task
from surveys.rehearsal.finished.study import prepare_finished_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("boards_without_figures")]


def test_there_is_none_without_the_finished_study():
    assert prepare_shared_task() is None


def test_the_shared_task_is_published_with_three_teams():
    prepare_finished_study()

    shared_task = prepare_shared_task()

    assert shared_task is not None
    assert (shared_task.slug, shared_task.state) == (SLUG, SharedTaskState.PUBLISHED)
    assert list(shared_task.teams.values_list("name", flat=True)) == sorted(TEAMS)
    assert set(Submission.objects.values_list("state", flat=True)) == {SubmissionState.SCORED}
    assert FrozenBoard.objects.count() == 2
    assert shared_task.archive_sha256
    assert prepare_shared_task() == shared_task
    assert SharedTask.objects.count() == 1
