"""Waiting for locks on PostgreSQL; on SQLite one writer locks the whole database."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from decimal import Decimal
from threading import Event
from time import monotonic
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from surveys.errors import AssignmentEnded
from surveys.models import Assignment, Response
from surveys.participation import answers
from surveys.participation.answers import record_engagement, record_rating
from surveys.participation.assignments import lock_places, start_assignment
from surveys.participation.due_item import fill_response
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_annotators
from surveys.review.second_look import close_second_look
from tests.factories.second_looks import list_annotators, look_again, look_of, looking_study
from tests.factories.studies import make_study, progress_of, rate_due, start, stored

pytestmark = [
    pytest.mark.every_database,  # two at once
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="locks of rows"),
]
SECONDS = 60  # longer than anything here takes; only a fault waits so long

Run = Callable[..., Future[Any]]


@pytest.fixture
def concurrently() -> Iterator[Run]:
    """Start a call in another thread, over its own connection."""

    def work(action: Callable[..., Any], *arguments: Any) -> Any:
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout = '{SECONDS}s'")
            return action(*arguments)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as people:
        yield lambda action, *arguments: people.submit(work, action, *arguments)


def wait_until_blocked() -> None:
    """Wait until a connection to this database waits for a lock."""
    deadline = monotonic() + SECONDS
    with connection.cursor() as cursor:
        while monotonic() < deadline:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # else it stays for a transaction
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"
            )
            if cursor.fetchone()[0]:
                return
    pytest.fail("nobody waits for anybody")


def test_the_last_rating_and_a_withdrawal_do_not_deadlock(monkeypatch, concurrently):
    """The annotator withdraws in another tab before the rating is committed."""
    assignment = start(make_study(2))
    rate_due(assignment, 4)
    record_engagement(progress_of(assignment), "sea", "salt")
    where = progress_of(assignment)
    is_stored, may_go_on = Event(), Event()

    def fill_and_pause(*arguments: Any) -> bool:
        is_filled = fill_response(*arguments)
        is_stored.set()
        assert may_go_on.wait(SECONDS)
        return is_filled

    monkeypatch.setattr(answers, "fill_response", fill_and_pause)
    rating = concurrently(record_rating, where, Decimal(3))
    assert is_stored.wait(SECONDS)
    withdrawal = concurrently(withdraw_annotator, assignment.annotator)
    try:
        wait_until_blocked()
    finally:
        may_go_on.set()

    assert rating.result(SECONDS)
    assert withdrawal.result(SECONDS).withdrawn_at
    assert stored(assignment, "state") == ("withdrawn",)
    assert not Response.objects.filter(is_erased=False).exists()


def test_a_second_look_is_closed_after_the_answer_that_is_being_stored(concurrently):
    study = looking_study()
    *_, third = list_annotators(study)

    with transaction.atomic():
        assert look_again(third, 4, "1")
        closing = concurrently(close_second_look, study, User.objects.get())
        wait_until_blocked()

    assert closing.result(SECONDS).closed_at
    assert look_of(third, 4).rating == 1
    with pytest.raises(AssignmentEnded):
        look_again(third, 1, "1")


def test_rows_that_refer_to_a_study_do_not_wait_for_its_lock(concurrently):
    study = make_study(2)
    (invitation,) = invite_annotators(study, 1)

    with transaction.atomic():
        lock_places(study.pk)
        invited = concurrently(invite_annotators, study, 1)
        assert len(invited.result(SECONDS)) == 1
        arrival = concurrently(start_assignment, invitation)
        wait_until_blocked()  # places are still given out one at a time
        assert not Assignment.objects.exists()

    assert arrival.result(SECONDS).state == "offered"
