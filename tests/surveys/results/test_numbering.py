"""Numbers of runs and releases within their study."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import IntegrityError, connection

from postprocess.steps.recipe import parse_recipe
from surveys.models import AuditEntry, Job, JobState, Release, Run, RunKind, Study
from surveys.results.release import release_dataset
from surveys.results.runs import request_export, request_release, request_results, retry_run
from tests.factories.datasets import BRIEFLY
from tests.factories.jobs import perform_run
from tests.factories.studies import QUICK, finish, make_release, make_run, make_study, start
from tests.surveys.management.running import run as run_command

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("figures_rendered_once")]

RECIPE = parse_recipe(QUICK.encode())


def rated_study(slug: str = "study") -> Study:
    study = make_study(2, slug=slug)
    for _ in range(4):
        finish(start(study))
    return study


def numbers(rows: Any, study: Study) -> list[int]:
    return list(rows.filter(study=study).order_by("pk").values_list("number", flat=True))


@pytest.mark.every_database
def test_runs_are_numbered_by_study_and_kind():
    for slug in ("first", "second"):
        study = make_study(2, slug=slug)
        for _ in range(2):
            request_results(study, QUICK, None)
        request_export(study, "csv", None)

        runs = Run.objects.filter(study=study).order_by("pk")
        assert [run.name for run in runs] == ["run 1", "run 2", "export 1"]


def test_a_release_has_the_number_of_its_run(tmp_path):
    rated_study("other")
    release_dataset(Study.objects.get(slug="other"), tmp_path / "other", RECIPE)
    study = rated_study()
    failed = request_release(study, QUICK, {"complete": True, "has_report": False}, None)
    perform_run(failed.pk)
    by_command = release_dataset(study, tmp_path / "out", RECIPE)
    made = request_release(study, QUICK, {"has_report": False}, None)
    perform_run(made.pk)

    made.refresh_from_db()
    failed.refresh_from_db()
    assert (failed.state, failed.number, failed.release) == (JobState.FAILED, 1, None)
    assert by_command.number == 2
    assert (made.state, made.number, made.release.number) == (JobState.DONE, 3, 3)
    assert str(made.archive).endswith("/study_en_3.zip")
    log = AuditEntry.objects.filter(study=study, action__startswith="release.")
    assert list(log.order_by("pk").values_list("action", "subject")) == [
        ("release.requested", "release 1"), ("release.requested", "release 3"),
        ("release.made", "release 3"),
    ]  # fmt: skip


def test_a_retried_run_makes_another_release():
    study = rated_study()
    run = request_release(study, QUICK, {"has_report": False}, None)
    Job.objects.update(state=JobState.FAILED)
    make_release(study, report={})  # 2
    Release.objects.update(number=run.number)

    perform_run(retry_run(run).pk)

    run.refresh_from_db()
    assert (run.state, run.number, run.release.number) == (JobState.DONE, 2, 2)
    assert numbers(Release.objects, study) == [1, 2]


def test_release_dataset_command_uses_numbers_within_the_study(tmp_path):
    make_release(make_study(2, slug="other"), report={})
    rated_study()

    out, _ = run_command("release_dataset", "study", tmp_path / "1", *BRIEFLY)
    run_command("release_dataset", "study", tmp_path / "2", *BRIEFLY, "--ids-of", "1")

    assert out.splitlines()[-1] == f"release 1 written to {tmp_path / '1'}"
    first, second = Release.objects.filter(study__slug="study").order_by("number")
    assert first.key == second.key


@pytest.mark.every_database
@pytest.mark.parametrize(
    "twice",
    [
        lambda study: make_run(study, RunKind.RESULTS, number=1),
        lambda study: Release.objects.create(study=study, number=1, report={}),
    ],
    ids=["run", "release"],
)
def test_the_database_refuses_duplicate_numbers(twice: Callable[[Study], Any]):
    study = make_study(2)
    make_run(study, RunKind.RESULTS)
    make_release(study, report={})

    with pytest.raises(IntegrityError):
        twice(study)


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="threads on one database")
def test_simultaneous_requests_get_different_numbers(tmp_path):
    study = rated_study()

    def ask(kind: int) -> int:
        try:
            if kind == 0:
                return request_release(study, QUICK, {}, None).number
            return make_release(study, report={}).number
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(ask, [0, 1] * 4))

    assert sorted(given) == list(range(1, 9))
