"""The finished demo study has the same answers each time, and is completed after a stop."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from surveys.errors import RunRefused
from surveys.models import Job, JobState, Response, Run, Study
from surveys.rehearsal.finished.study import (
    QUICKLY,
    complete,
    make_study,
    prepare_finished_study,
)
from surveys.results.run_inspection import write_recipe
from surveys.results.runs import request_results
from surveys.sharedtasks.demo import prepare_shared_task
from surveys.sharedtasks.final_results.publishing import retract
from surveys.sharedtasks.models import Phase, SharedTask
from surveys.sharedtasks.scoring.baselines import BASELINES
from tests.factories import studies
from tests.factories.jobs import let_time_pass, made_by

pytestmark = pytest.mark.django_db


def read_answers() -> list[tuple[object, ...]]:
    """Return everything about the answers and verdicts that the site does not draw by chance."""
    rows = Response.objects.order_by("annotator__code", "position").values_list(
        "annotator__code", "position", "context__pair__position", "context__number",
        "written1", "written2", "rating", "words_visible_seconds",
        "rating_visible_seconds", "rated_at", "review__outcome",
        "assignment__round__number",
    )  # fmt: skip
    return list(rows)


def test_the_answers_are_the_same_each_time():
    with transaction.atomic():
        make_study()
        answers = read_answers()
        transaction.set_rollback(True)
    cache.clear()

    make_study()

    assert len(answers) == 480
    assert read_answers() == answers


def test_there_is_no_shared_task_without_the_study():
    assert prepare_shared_task() is None


def is_ended(*arguments: object) -> None:
    raise SystemExit(1)  # as by a signal


@pytest.mark.usefixtures("boards_without_figures")
def test_what_a_process_leaves_that_ends_early_is_completed(monkeypatch):
    """Not made again: whoever looks meanwhile keeps what they have seen."""
    with monkeypatch.context() as patch:
        patch.setattr("surveys.results.runs.make_release", is_ended)
        with pytest.raises(SystemExit):
            prepare_finished_study()
    results, release = Run.objects.order_by("pk")
    assert (results.state, release.state) == (JobState.DONE, JobState.WAITING)
    let_time_pass()
    prepare_finished_study()
    assert [run.state for run in Run.objects.all()] == [JobState.DONE] * 2

    with monkeypatch.context() as patch:
        patch.setattr("surveys.sharedtasks.final_results.boards.perform_finalising", is_ended)
        with pytest.raises(SystemExit):
            prepare_shared_task()
    assert SharedTask.objects.get().published_at is None
    baselines = Job.objects.filter(kind=BASELINES, request__phase=Phase.objects.first().pk)
    assert [job.state for job in baselines] == [JobState.CANCELLED]
    let_time_pass()
    shared_task = prepare_shared_task()
    assert shared_task.is_published
    assert SharedTask.objects.count() == Study.objects.count() == 1

    retract(shared_task, "to be looked at again", timezone.now())
    assert not prepare_shared_task().is_published


def test_what_another_process_has_begun_is_awaited(monkeypatch):
    run = request_results(studies.make_study(1), write_recipe("cosimlex", QUICKLY), by=None)
    Job.objects.update(state=JobState.RUNNING, heard_at=timezone.now(), lease="another process")
    ends = {"state": JobState.FAILED, "lease": "", "error": "in a test"}
    path = "surveys.rehearsal.finished.study.time.sleep"
    monkeypatch.setattr(path, lambda seconds: Job.objects.update(**ends))

    with made_by(lambda *_: pytest.fail("it is performed twice")):
        complete(Job.objects.filter(run=run))

    assert studies.stored(run, "state") == (JobState.FAILED,)


def test_what_a_killed_process_has_begun_is_performed_without_a_site(monkeypatch):
    run = request_results(studies.make_study(1), write_recipe("cosimlex", QUICKLY), by=None)
    Job.objects.update(state=JobState.RUNNING, heard_at=timezone.now(), lease="a killed process")
    later = iter([{"heard_at": timezone.now() - timedelta(minutes=1)}, {"due_at": timezone.now()}])
    path = "surveys.rehearsal.finished.study.time.sleep"
    monkeypatch.setattr(path, lambda seconds: Job.objects.update(**next(later)))

    def refuse(*given):
        raise RunRefused("in a test")

    with made_by(refuse):
        complete(Job.objects.filter(run=run))

    assert studies.stored(run, "state", "error", "n_deaths") == ("failed", "in a test", 1)
