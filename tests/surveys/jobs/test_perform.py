"""Performing a job: by one process, with everything stored or nothing."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from postprocess.errors import UserError
from surveys.errors import RunRefused, TryLater
from surveys.features import Lane
from surveys.jobs.perform import perform, perform_due, renew_lease, report_progress
from surveys.jobs.queue import INTERRUPTED, cancel, enqueue, make_lease, seconds_until_mail
from surveys.models import Job
from tests.factories.jobs import (
    WORK,
    fall_silent,
    let_time_pass,
    made_by,
    perform_by,
    register_work,
)
from tests.factories.studies import stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # locks and instants


@pytest.fixture
def job():
    return enqueue(WORK)


def perform_at_once(jobs):
    """Perform eight jobs at once; return who did so, and the jobs performed."""
    start, performed = Barrier(8), []

    def claim(job):
        try:
            start.wait(60)
            return perform(job.pk)
        finally:
            connection.close()

    with made_by(lambda job, progress: performed.append(job.pk)), ThreadPoolExecutor(8) as people:
        return list(people.map(claim, jobs)), performed


@pytest.fixture
def later_job():
    """A row that a maker's result is written to."""
    return enqueue(WORK, due_at=timezone.now() + timedelta(days=1))


def store_in(other):
    return lambda: Job.objects.filter(pk=other.pk).update(stage="stored")


def test_what_a_maker_returns_is_stored_with_the_end(job, later_job):
    def work(job, progress):
        progress("computing", 1, 2)
        assert stored(job, "stage", "share_done") == ("computing", 50)
        return store_in(later_job)

    assert perform_by(work, job).state == "done"

    assert stored(job, "share_done", "stage", "lease", "error") == (100, "", "", "")
    assert stored(later_job, "stage") == ("stored",)
    assert perform(job.pk) is False


def test_nothing_is_stored_if_storing_fails(job, later_job):
    def work(job, progress):
        def store():
            store_in(later_job)()
            raise RunRefused("The release was deleted.")

        return store

    assert perform_by(work, job).error == "The release was deleted."

    assert stored(job, "state") == ("failed",)
    assert stored(later_job, "stage") == ("",)


@pytest.mark.parametrize("refusal", [RunRefused("Not so."), UserError("Not so.")])
def test_a_refusal_is_stored_as_the_error(job, refusal):
    def refuse(job, progress):
        raise refusal

    done = perform_by(refuse, job)

    assert (done.state, done.error) == ("failed", "Not so.")
    assert done.finished_at


def test_an_unexpected_end_is_stored_and_raised(job):
    def break_off(job, progress):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), made_by(break_off):
        perform(job.pk)

    job.refresh_from_db()
    assert (job.state, "interrupted" in job.error) == ("failed", True)


@pytest.mark.parametrize("end", [SystemExit, KeyboardInterrupt])
def test_a_terminated_process_gives_its_job_back(job, end):
    def end_process(job, progress):
        raise end

    with pytest.raises(end), made_by(end_process):
        perform(job.pk)

    assert stored(job, "state", "n_deaths", "error") == ("waiting", 0, "")
    let_time_pass()
    assert perform_due(Lane.LONG) == 1


def test_a_job_that_is_not_due_is_not_begun(job):
    Job.objects.update(due_at=timezone.now() + timedelta(minutes=1))

    assert (perform(job.pk), perform_due(Lane.LONG)) == (False, 0)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TryLater("The gateway is down."), "The gateway is down."),
        (OperationalError("lost"), "the database cannot be used: lost"),
    ],
)
def test_what_does_not_respond_is_asked_again_until_the_pauses_are_over(job, error, said):
    register_work(pauses=(timedelta(minutes=1), timedelta(minutes=5)))

    def find_nobody(job, progress):
        raise error

    for n_tries, minutes in ((1, 1), (2, 5)):
        put_off = perform_by(find_nobody, job)
        assert (put_off.state, put_off.n_tries) == ("waiting", n_tries)
        assert put_off.error == said
        pause = put_off.due_at - timezone.now()
        assert timedelta(minutes=minutes, seconds=-9) < pause <= timedelta(minutes=minutes)
        let_time_pass()

    assert perform_by(find_nobody, job).state == "failed"


def test_an_outage_ends_a_job_that_must_not_be_repeated(job):
    register_work(is_repeatable=False)

    def lose(job, progress):
        raise OperationalError("lost")

    with pytest.raises(OperationalError):
        perform_by(lose, job)

    assert stored(job, "state", "error") == ("failed", INTERRUPTED)


def test_a_silent_process_that_wakes_changes_nothing_of_its_successor(job, later_job):
    """Neither its progress, nor its result, nor its refusal, nor its lease."""
    successor = make_lease()

    def succeed():
        fall_silent()
        Job.objects.filter(pk=job.pk).update(state="running", lease=successor)

    def report(job, progress):
        succeed()
        progress("late", 1, 2)
        pytest.fail("it went on")

    def finish(job, progress):
        succeed()
        return store_in(later_job)

    def lose_while_storing(job, progress):
        def store():
            store_in(later_job)()
            succeed()

        return store

    def refuse(job, progress):
        succeed()
        raise RunRefused("The first process goes on.")

    def renew(job, progress):
        succeed()
        renew_lease(job)

    for work in (report, finish, lose_while_storing, refuse, renew):
        Job.objects.filter(pk=job.pk).update(state="waiting", n_deaths=0, due_at=timezone.now())
        late = perform_by(work, job)

        if work is not lose_while_storing:  # in which all was undone, the successor too
            assert (late.state, late.lease, late.error) == ("running", successor, "")
        assert (late.stage, stored(later_job, "stage")) == ("", ("",))


def test_a_cancelled_job_stops_at_its_next_step_and_stores_nothing(job, later_job):
    def report(job, progress):
        cancel(job)
        progress("next", 0, 1)
        pytest.fail("it went on")

    def finish(job, progress):
        cancel(job)
        return store_in(later_job)

    for work in (report, finish):
        Job.objects.filter(pk=job.pk).update(state="waiting", due_at=timezone.now())

        assert perform_by(work, job).state == "cancelled"

    assert stored(later_job, "stage") == ("",)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite serialises writers")
def test_one_of_eight_claimants_performs_a_job(job):
    claims, performed = perform_at_once([job] * 8)

    assert (sorted(claims), performed) == ([False] * 7 + [True], [job.pk])


def test_mails_are_begun_one_at_a_time_within_the_rate(settings, monkeypatch):
    register_work(lane=Lane.MAIL)
    monkeypatch.setattr("surveys.jobs.perform.MAILING_SECONDS", 9)  # do not wait in the test
    settings.EMAIL_PER_MINUTE = 1
    first, second = enqueue(WORK), enqueue(WORK)
    performed = []

    def send(job, progress):
        performed.append(job.pk)
        Job.objects.update(begun_at=timezone.now() - timedelta(minutes=2))
        assert (seconds_until_mail(), perform(second.pk)) == (1, False)  # this one is under way

    assert seconds_until_mail() == 0
    perform_by(send, first)
    Job.objects.filter(pk=first.pk).update(begun_at=timezone.now())
    assert (perform(second.pk), perform_due(Lane.MAIL)) == (False, 0)
    assert 55 < seconds_until_mail() <= 60
    Job.objects.filter(pk=first.pk).update(begun_at=timezone.now() - timedelta(minutes=1))
    perform_by(lambda job, progress: performed.append(job.pk), second)

    assert performed == [first.pk, second.pk]


def test_the_rate_holds_after_a_mail_that_was_put_off(settings):
    register_work(lane=Lane.MAIL)
    settings.EMAIL_PER_MINUTE = 1

    def find_nobody(job, progress):
        raise TryLater("The server is down.")

    assert perform_by(find_nobody, enqueue(WORK)).state == "waiting"

    assert perform(enqueue(WORK).pk) is False


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite serialises writers")
def test_several_processes_begin_one_mail(settings):
    register_work(lane=Lane.MAIL)
    settings.EMAIL_PER_MINUTE = 1

    claims, performed = perform_at_once([enqueue(WORK) for _ in range(8)])

    assert (sum(claims), len(performed)) == (1, 1)


@pytest.mark.parametrize(
    ("seconds", "stage"),
    [
        (4, "reading"),
        (6, "reading, less than a minute left"),
        (60, "reading, about 3 minutes left"),
        (3_600, "reading, about 3 h left"),
        (36_000, "reading, about 25 h left"),
    ],
)
def test_progress_has_the_time_left_after_some_seconds(job, monkeypatch, seconds, stage):
    begun = timezone.now()
    Job.objects.update(state="running")
    report = report_progress(job)
    report("reading", 10, 80)
    report("reading", 11, 80)
    assert stored(job, "stage", "share_done") == ("reading", 12)

    monkeypatch.setattr(
        "surveys.jobs.perform.timezone.now", lambda: begun + timedelta(seconds=seconds)
    )
    report("reading", 30, 80)

    assert stored(job, "stage", "share_done") == (stage, 37)
