"""The dispatcher: who is asked for which jobs, and at what price."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from surveys.features import Lane
from surveys.jobs import dispatcher
from surveys.jobs.dispatcher import Dispatcher
from surveys.jobs.queue import enqueue
from tests.factories.jobs import WORK, register_work

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # locks and instants


@pytest.fixture(autouse=True)
def kept_connection(monkeypatch):
    """Keep the connection of the test, which a look closes."""
    monkeypatch.setattr(connection, "close", lambda: None)


@pytest.fixture
def started(monkeypatch, settings):
    """The names of the threads that were started; they go on for ever."""
    settings.BACKGROUND = "threads"
    started = []

    def start(name, **arguments):
        thread = SimpleNamespace(name=name, is_alive=lambda: True)
        return SimpleNamespace(**vars(thread), start=lambda: started.append(name))

    monkeypatch.setattr(dispatcher, "Thread", start)
    return started


def test_an_idle_look_makes_two_queries_and_writes_nothing(started):
    enqueue(WORK, due_at=timezone.now() + timedelta(minutes=1))

    with CaptureQueriesContext(connection) as queries:
        Dispatcher().look()

    assert [query["sql"].split()[0] for query in queries] == ["SELECT"] * 2
    assert started == []


def test_a_thread_is_started_for_each_due_job_as_far_as_its_lane_has_any(started):
    looker = Dispatcher()
    for _ in range(3):
        enqueue(WORK)
    register_work(lane=Lane.SHORT)
    looker.look()
    register_work(lane=Lane.LONG)

    for _ in range(2):
        looker.look()

    assert (started, looker.is_busy) == (["SHORT"] * 3 + ["LONG"] * 2, True)


def test_workers_are_asked_for_the_lanes_of_due_jobs(monkeypatch, settings):
    settings.BACKGROUND = "workers"
    asked = []
    monkeypatch.setattr(dispatcher.BROKER, "ask", lambda lanes: asked.append(list(lanes)))

    Dispatcher().look()  # to see whether the broker is available
    enqueue(WORK), enqueue(WORK)
    Dispatcher().look()

    assert asked == [[], [Lane.LONG]]


def test_the_job_process_is_woken_if_jobs_are_due(monkeypatch, settings):
    settings.BACKGROUND = "threads"
    woken = []
    kept = SimpleNamespace(is_kept=True, wake=lambda: woken.append("once"))
    monkeypatch.setattr(dispatcher, "JOB_PROCESS", kept)

    Dispatcher().look()
    enqueue(WORK), enqueue(WORK)
    Dispatcher().look()

    assert woken == ["once"]
