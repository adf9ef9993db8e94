"""Asking workers: a broker that is away, that says nothing, or whose queue is full."""

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from surveys.operations.broker import MOST_WAITING, Broker, Job
from surveys.tasks import perform_runs, send_messages
from tests.conftest import lack

BROKER = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")


@pytest.fixture
def queue(settings) -> Iterator[str]:
    """A queue of a broker that is there; tasks are sent to no other."""
    client = redis.Redis.from_url(BROKER)
    try:
        client.ping()
    except redis.ConnectionError:
        lack("Redis")
    name = f"test-{secrets.token_hex(4)}"
    settings.CELERY_BROKER_URL, settings.CELERY_TASK_DEFAULT_QUEUE = BROKER, name
    app = perform_runs.app
    before = app.conf.task_default_queue, app.amqp
    app.conf.task_default_queue = name
    del app.amqp
    yield name
    app.conf.task_default_queue, app.amqp = before
    client.delete(name)


@contextmanager
def saying_nothing() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"


def test_workers_are_asked_until_enough_messages_wait(queue):
    broker, jobs = Broker(), [Job(perform_runs), Job(send_messages)]
    client = redis.Redis.from_url(BROKER)

    answers = [broker.ask(jobs) for _ in range(MOST_WAITING)]

    n_sent = client.llen(queue)
    assert (answers[0], answers[-1], broker.is_away) == (True, False, False)
    assert MOST_WAITING <= n_sent <= MOST_WAITING + len(jobs)


def test_a_broker_that_says_nothing_is_away_until_it_answers(queue, settings, caplog):
    broker = Broker()
    with saying_nothing() as settings.CELERY_BROKER_URL:
        assert [broker.ask([Job(perform_runs)]), broker.is_away] == [False, True]
        assert [broker.ask([]), broker.is_away] == [False, True]

    assert [broker.ask([]), broker.is_away] == [False, True]  # refused by now
    settings.CELERY_BROKER_URL = BROKER
    assert [broker.ask([Job(perform_runs)]), broker.is_away] == [True, False]
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
