import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone
from pyarrow import parquet

from surveys.errors import InvitationRefused, RunRefused
from surveys.models import Annotator, AuditEntry, Invitation, Job, JobState, Run
from surveys.privacy.erasure import erase_annotator
from surveys.results import export_jobs
from surveys.results.runs import request_export, request_links, retry_run
from tests.factories.jobs import perform_run
from tests.factories.studies import finish, start


@pytest.fixture
def three_at_once(monkeypatch):
    monkeypatch.setattr("surveys.results.export_jobs.LINKS_AT_ONCE", 3)


def perform(run):
    perform_run(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.every_database
def test_perform_run_creates_many_links_once(study, three_at_once):
    run = perform(request_links(study, None, n_before=0, count=7))
    perform_run(run.pk)

    assert (run.state, run.report) == ("done", {"n_done": 7, "n_new": 7})
    assert Invitation.objects.count() == 7
    made = AuditEntry.objects.filter(action="invitations.made").order_by("pk")
    assert [entry.details["new"] for entry in made] == [3, 3, 1]


@pytest.mark.every_database
def test_perform_run_creates_a_link_per_note_and_deletes_the_list(study, three_at_once):
    people = [f"p{n}@example.org" for n in range(4)]
    perform(request_links(study, None, n_before=0, notes=people[:1]))

    run = perform(request_links(study, None, n_before=1, notes=["", *people]))

    assert run.report == {"n_done": 4, "n_new": 3}
    assert sorted(Invitation.objects.values_list("note", flat=True)) == people
    assert run.request == {"count": 4}
    assert not AuditEntry.objects.filter(details__icontains="example.org").exists()


@pytest.mark.every_database
def test_interrupted_links_continue_where_they_stopped(study, three_at_once, monkeypatch):
    run = request_links(study, None, n_before=0, count=7)
    made = []

    def fail_once(study, count):
        made.append(count)
        if len(made) == 2:
            raise SystemExit
        return Invitation.objects.bulk_create(Invitation(study=study) for _ in range(count))

    monkeypatch.setattr("surveys.results.export_jobs.invite_annotators", fail_once)
    with pytest.raises(SystemExit):
        perform_run(run.pk)
    run.refresh_from_db()
    assert (run.state, Invitation.objects.count()) == ("waiting", 3)

    assert perform(run).state == "done"
    assert Invitation.objects.count() == 7


def test_request_links_refuses_a_second_job(study):
    run = request_links(study, None, n_before=0, count=7)

    with pytest.raises(RunRefused, match="already"):
        request_links(study, None, n_before=0, count=7)
    perform(run)
    with pytest.raises(InvitationRefused, match="since this page was opened"):
        request_links(study, None, n_before=0, count=7)

    assert Invitation.objects.count() == 7


@pytest.mark.parametrize("asked", [{"count": 10_001}, {"notes": ["a", "a"]}, {"notes": []}])
def test_request_links_refuses_invalid_numbers_and_lists(study, asked):
    with pytest.raises((InvitationRefused, RunRefused)):
        request_links(study, None, n_before=0, **asked)

    assert not Run.objects.exists()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_perform_run_exports_responses(study, form):
    finish(start(study))

    run = perform(request_export(study, form, None))

    assert (run.state, run.report) == ("done", {"n_rows": 2})
    assert f"/responses_study_{run.number}" in str(run.archive)
    data = run.archive.read()
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(data.decode())))
    else:
        rows = parquet.read_table(io.BytesIO(data)).to_pylist()
    assert [row["inspired_word1"] for row in rows] == ["sea", "sea"]


def test_request_export_deletes_the_earlier_file(study, django_capture_on_commit_callbacks):
    first = perform(request_export(study, "csv", None))
    path = first.archive.path

    with django_capture_on_commit_callbacks(execute=True):
        second = perform(request_export(study, "csv", None))

    first.refresh_from_db()
    assert not first.archive
    assert not first.archive.storage.exists(path)
    assert second.archive


@pytest.mark.every_database
def test_erase_annotator_deletes_exported_files(study, django_capture_on_commit_callbacks):
    finish(start(study))
    run = perform(request_export(study, "csv", None))
    path = run.archive.path

    with django_capture_on_commit_callbacks(execute=True):
        erase_annotator(Annotator.objects.get(), "asked for it")

    run.refresh_from_db()
    assert not run.archive
    assert not run.archive.storage.exists(path)


def test_an_export_fails_if_an_annotator_is_erased_meanwhile(study, monkeypatch):
    finish(start(study))
    run = request_export(study, "csv", None)
    written = export_jobs.stream_responses

    def write_and_erase(of):
        yield from written(of)
        erase_annotator(Annotator.objects.get(), "asked for it")

    monkeypatch.setattr(export_jobs, "stream_responses", write_and_erase)
    run = perform(run)

    assert (run.state, bool(run.archive)) == ("failed", False)
    assert "Try again" in run.error


def test_request_export_refuses_an_unknown_format(study):
    with pytest.raises(RunRefused, match="csv or parquet"):
        request_export(study, "xlsx", None)


def test_retry_run_accepts_an_expired_lease(study):
    run = request_export(study, "csv", None)
    Job.objects.update(state=JobState.RUNNING, heard_at=timezone.now() - timedelta(1))

    assert perform(retry_run(run)).state == "done"
