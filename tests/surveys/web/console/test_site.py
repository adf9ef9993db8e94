"""The operators' page: what it shows, to whom, and that a failed job is performed again."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from surveys import features
from surveys.models import AuditEntry, Job, JobState, RunKind, TimerRun
from tests.factories.clients import client_of
from tests.factories.jobs import WORK, register_work
from tests.factories.studies import make_run, make_study, stored

pytestmark = pytest.mark.django_db
SITE = "console:site"


@pytest.fixture
def site_operator() -> User:
    return User.objects.create_superuser("op")


@pytest.fixture
def own_work(monkeypatch) -> None:
    """A kind of job that makes no run."""
    monkeypatch.setattr(features, "_features", {**features._features})  # noqa: SLF001
    register_work()


def fail(**fields: object) -> Job:
    ended = {"state": JobState.FAILED, "error": "out of memory", "finished_at": timezone.now()}
    return Job.objects.create(**ended, **fields)


def read_site(user: User) -> str:
    answer = client_of(user).get(reverse(SITE))
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_the_page_is_for_operators_alone(site_operator):
    assert client_of(User.objects.create_user("ana")).get(reverse(SITE)).status_code == 403
    assert (
        reverse(SITE) in client_of(site_operator).get(reverse("console:studies")).content.decode()
    )


@pytest.mark.every_database
def test_it_shows_parts_queue_and_timers(site_operator, own_work):
    Job.objects.create(kind=WORK)
    fail(kind=WORK, study=make_study(1))

    shown = read_site(site_operator)

    assert "Database: ok" in shown
    assert shown.count("never") == 3
    assert re.search("Work</th>.*?>1</td>.*?>0</td>.*?>1</td>", shown)
    assert "out of memory" in shown


@pytest.mark.every_database
def test_a_failed_job_is_tried_again_and_logged(site_operator, own_work):
    job = fail(kind=WORK, n_tries=5)
    run = make_run(make_study(1), RunKind.RESULTS, state=JobState.FAILED)
    client = client_of(site_operator)

    for pk in (job.pk, run.job_id, job.pk):
        client.post(reverse(SITE), {"job": pk})

    assert stored(job, "state", "n_tries", "error") == (JobState.WAITING, 0, "")
    assert Job.objects.get(pk=run.job_id).state == JobState.WAITING
    entries = [*AuditEntry.objects.order_by("pk").values_list("action", "actor")]
    assert entries[-2:] == [
        ("job.retried", "op"), ("run.retried", "op"),
    ]  # fmt: skip


@pytest.mark.parametrize("job", ["", "0", "x", "99999999999999999999"])
def test_an_unknown_job_is_not_found(site_operator, job):
    assert client_of(site_operator).post(reverse(SITE), {"job": job}).status_code == 404


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("at_once", [True, False])
def test_a_backup_and_its_check_are_noted(site_operator, tmp_path, at_once):
    call_command("backup", tmp_path / "first.tar.gz", check=at_once)
    if not at_once:
        call_command("restore", tmp_path / "first.tar.gz", check=True)
    names = [*TimerRun.objects.order_by("name").values_list("name", flat=True)]
    TimerRun.objects.filter(name="backup").update(ran_at=timezone.now() - timedelta(hours=31))

    shown = read_site(site_operator)

    assert names == ["backup", "check"]
    assert (shown.count("never"), shown.count("Late")) == (1, 2)
