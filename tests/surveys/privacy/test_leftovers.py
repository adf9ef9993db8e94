"""Deletion of expired lists, files and rows."""

from datetime import timedelta
from pathlib import Path

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from surveys.errors import RunRefused
from surveys.models import AccountSession, IdempotencyRecord, Invitation, Job, JobState, Run
from surveys.privacy.erasure import erase_annotator
from surveys.privacy.leftovers import drop_leftovers
from surveys.results.run_files import LISTS_KEPT, LISTS_WAIT, drop_lists
from surveys.results.runs import request_export, request_links, retry_run
from tests.factories.jobs import perform_run
from tests.factories.studies import finish, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # of deleted rows

PEOPLE = [f"p{n}@example.org" for n in range(4)]


@pytest.fixture
def listed_run(study) -> Run:
    """Return a job that creates links for a list of addresses."""
    return request_links(study, None, n_before=0, notes=PEOPLE)


def silent(run: Run, state: JobState, since: timedelta) -> None:
    at = timezone.now() - since
    Job.objects.filter(run=run).update(state=state, heard_at=at, due_at=at)


def everything_about(run: Run) -> str:
    return f"{Run.objects.values().get(pk=run.pk)} {Job.objects.values().get(run=run)}"


def test_a_list_is_deleted_when_its_job_fails(listed_run, monkeypatch):
    def fall_over(*args):
        raise RuntimeError

    monkeypatch.setattr("surveys.results.export_jobs.invite_listed", fall_over)
    with pytest.raises(RuntimeError):
        perform_run(listed_run.pk)

    assert stored(listed_run, "state", "request") == (
        "failed",
        {"count": 4, "list_was_dropped": True},
    )
    assert "example.org" not in everything_about(listed_run)
    listed_run.refresh_from_db()
    assert "Send it again" in listed_run.error


@pytest.mark.parametrize(
    ("state", "since"), [(JobState.RUNNING, LISTS_KEPT), (JobState.WAITING, LISTS_WAIT)]
)
def test_a_list_of_a_killed_job_is_deleted_by_the_next_job(study, listed_run, state, since):
    silent(listed_run, state, since + timedelta(minutes=1))

    perform_run(request_export(study, "csv", None).pk)

    assert stored(listed_run, "state") == ("failed",)
    assert "example.org" not in everything_about(listed_run)


@pytest.mark.parametrize(
    ("state", "since"), [(JobState.RUNNING, LISTS_KEPT), (JobState.WAITING, LISTS_WAIT)]
)
def test_a_list_is_kept_while_its_job_may_continue(listed_run, state, since):
    silent(listed_run, state, since - timedelta(minutes=1))

    assert drop_lists() == 0
    assert "p0@example.org" in everything_about(listed_run)


def test_a_job_without_its_list_creates_no_links(listed_run):
    silent(listed_run, JobState.FAILED, timedelta(0))
    drop_lists()

    with pytest.raises(RunRefused, match="Send it again"):
        retry_run(listed_run.__class__.objects.get(pk=listed_run.pk))
    Job.objects.update(state=JobState.WAITING)
    perform_run(listed_run.pk)

    assert stored(listed_run, "state") == ("failed",)
    assert not Invitation.objects.exists()


def test_a_list_that_failed_before_this_version_is_deleted_by_the_timer(listed_run):
    silent(listed_run, JobState.FAILED, timedelta(0))

    call_command("drop_personal_data", "--dry-run")
    assert "example.org" in everything_about(listed_run)
    call_command("drop_personal_data")

    assert "example.org" not in everything_about(listed_run)


def test_staff_who_may_see_runs_see_no_list(listed_run, client):
    staff = User.objects.create_user("staff", is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_run"))
    client.force_login(staff)

    page = client.get(reverse("admin:surveys_run_change", args=[listed_run.pk]))

    assert page.status_code == 200
    assert "example.org" not in page.content.decode()


def test_erasure_deletes_the_file_of_a_killed_job(study, django_capture_on_commit_callbacks):
    finish(start(study))
    run = request_export(study, "csv", None)
    perform_run(run.pk)
    run.refresh_from_db()
    kept = Path(run.archive.path)
    orphan = kept.with_name("responses_study_7.csv")
    orphan.write_text("words")
    nobodys = Path(settings.MEDIA_ROOT) / "runs" / "999999" / "responses.csv"
    nobodys.parent.mkdir()
    nobodys.write_text("words")

    drop_leftovers()
    assert (kept.exists(), orphan.exists(), nobodys.exists()) == (True, False, False)
    orphan.write_text("words")
    with django_capture_on_commit_callbacks(execute=True):
        erase_annotator(study.annotators.get(), "asked for it")

    assert not kept.exists()
    assert not orphan.exists()


def test_the_timer_deletes_expired_records(study):
    now, user = timezone.now(), User.objects.create_user("ana")
    for days in (0, 2, 40):
        past = now - timedelta(days=days)
        made = IdempotencyRecord.objects.create(user=user, key=f"k{days}", status=201, answer={})
        IdempotencyRecord.objects.filter(pk=made.pk).update(created_at=past)
        session = {"session_key": f"s{days}", "session_data": "", "expire_date": past}
        future = {} if days else {"expire_date": now + timedelta(1)}
        AccountSession.objects.create(**session | future)
        attempt = AccessAttempt.objects.create(username=f"u{days}", failures_since_start=1)
        AccessAttempt.objects.filter(pk=attempt.pk).update(attempt_time=past)

    drop_leftovers()

    assert list(IdempotencyRecord.objects.values_list("key", flat=True)) == ["k0"]
    assert list(AccountSession.objects.values_list("session_key", flat=True)) == ["s0"]
    assert set(AccessAttempt.objects.values_list("username", flat=True)) == {"u0", "u2"}
