"""The finished demo study and shared task: their figures, their marks, and the board."""

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import chain

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from lxml import html

from postprocess.__main__ import main
from surveys.access.roles import is_demonstration
from surveys.models import Annotator, Assignment, JobState, Review, Run, RunKind, Study
from surveys.rehearsal.finished.study import prepare_finished_study
from surveys.sharedtasks.demo import SHARED_TASK, TEAMS, prepare_shared_task
from surveys.sharedtasks.models import FrozenBoard, SharedTask, SharedTaskState, SubmissionState
from surveys.sharedtasks.models.submissions import Submission

pytestmark = pytest.mark.django_db
COUNTS = {
    "annotators": 48,
    "ratings": 480,
    "annotators_scripted": 48,
    "ratings_scripted": 480,
}
LEFT_OUT = {"round replaced": 16, "engagement rejected": 3, "below the correlation bound": 4}
RATINGS_LEFT_OUT = {
    "round replaced": 160,
    "engagement rejected": 33,
    "below the correlation bound": 40,
}


@pytest.fixture(scope="module")
def prepared(django_db_setup, django_db_blocker) -> Iterator[Study]:
    """The finished study, made once; what a test changes is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield prepare_finished_study()
        transaction.set_rollback(True)


def test_the_study_is_finished_marked_and_released(prepared, tmp_path, capsys):
    assert is_demonstration(prepared)
    assert Counter(Assignment.objects.values_list("state", flat=True)) == {"submitted": 48}
    assert Counter(Annotator.objects.values_list("invitation__is_rehearsal", flat=True)) == {
        True: 48
    }
    results, release = Run.objects.order_by("pk")
    assert (results.kind, release.kind) == (RunKind.RESULTS, RunKind.RELEASE)
    assert {results.state, release.state} == {JobState.DONE}
    for run in (results, release):
        assert run.is_rehearsal
        counts = run.report["counts"]
        assert {name: counts[name] for name in COUNTS} == COUNTS
        assert counts["annotators_left_out"] == LEFT_OUT
        assert counts["ratings_left_out"] == RATINGS_LEFT_OUT
    assert release.report["to_be_written"] == []
    with release.archive.open("rb") as file:
        zipfile.ZipFile(io.BytesIO(file.read())).extractall(tmp_path)
    (folder,) = tmp_path.iterdir()
    assert "REHEARSAL" in release.archive.name
    assert main(["audit", str(folder)]) == 0, capsys.readouterr().out


@pytest.mark.usefixtures("boards_without_figures")
def test_the_shared_task_is_published_with_three_teams(prepared):
    shared_task = prepare_shared_task()

    assert shared_task is not None
    assert (shared_task.slug, shared_task.state) == (SHARED_TASK, SharedTaskState.PUBLISHED)
    assert list(shared_task.teams.values_list("name", flat=True)) == sorted(TEAMS)
    assert set(Submission.objects.values_list("state", flat=True)) == {SubmissionState.SCORED}
    assert FrozenBoard.objects.count() == 2
    assert shared_task.archive_sha256
    assert prepare_shared_task() == shared_task
    assert SharedTask.objects.count() == 1


def test_no_honest_annotator_shares_a_twins_words(prepared):
    whole = Review.objects.filter(study=prepared, response=None)

    assert whole.count() == 48
    assert "twin" not in {code for code, *_ in chain(*whole.values_list("evidence", flat=True))}


def test_pages_give_the_same_numbers_of_answers(prepared, client):
    client.force_login(User.objects.create_superuser("operator"))
    results = Run.objects.filter(kind=RunKind.RESULTS).get()

    collection = read(client, "collection", prepared.slug)
    run = read(client, "run", prepared.slug, results.pk)
    both = f"?first={results.pk}&second={results.pk}"
    compared = read(client, "compare", prepared.slug, query=both)

    assert "Answers: 480 given, 320 of them current, 287 usable." in collection
    assert "Ratings given480 Ratings current320 Ratings used247" in run
    assert "Both read 480 given answers, of which 320 are current." in compared
    assert "As many assignments as are wanted are finished, but 3 are lacking" in collection
    assert "items have fewer usable ratings than wanted" in collection
    assert "Everything that is wanted has been collected" not in collection


def read(client, name, *args, query=""):
    answer = client.get(reverse(f"console:{name}", args=args) + query)
    assert answer.status_code == 200
    return " ".join(html.fromstring(answer.content).text_content().split())
