"""Messages to workers: a broker that is away, does not respond, or has a full queue."""

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from surveys.features import Lane
from surveys.operations.broker import MAX_QUEUED, Broker, celery_app
from tests.machine import lack

BROKER = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")


@pytest.fixture
def own_queue(settings) -> Iterator[str]:
    """A queue of an available broker, to which all tasks are sent."""
    client = redis.Redis.from_url(BROKER)
    try:
        client.ping()
    except redis.ConnectionError:
        lack("Redis")
    name = f"test-{secrets.token_hex(4)}"
    settings.CELERY_BROKER_URL, settings.CELERY_TASK_DEFAULT_QUEUE = BROKER, name
    app = celery_app()
    before = app.conf.task_default_queue, app.amqp
    app.conf.task_default_queue = name
    del app.amqp
    yield name
    app.conf.task_default_queue, app.amqp = before
    client.delete(name)


@contextmanager
def silent_broker() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"


def test_ask_sends_until_the_queue_is_full(own_queue):
    broker, asked = Broker(), [Lane.LONG, Lane.SHORT]
    client = redis.Redis.from_url(BROKER)

    answers = [broker.ask(asked) for _ in range(MAX_QUEUED)]

    n_sent = client.llen(own_queue)
    assert (answers[0], answers[-1], broker.is_away) == (True, False, False)
    assert MAX_QUEUED <= n_sent <= MAX_QUEUED + len(asked)


def test_ask_finds_a_silent_broker_away_until_it_responds(own_queue, settings, caplog):
    broker = Broker()
    with silent_broker() as settings.CELERY_BROKER_URL:
        assert [broker.ask([Lane.LONG]), broker.is_away] == [False, True]
        assert [broker.ask([]), broker.is_away] == [False, True]

    assert [broker.ask([]), broker.is_away] == [False, True]  # the connection is refused now
    settings.CELERY_BROKER_URL = BROKER
    assert [broker.ask([Lane.LONG]), broker.is_away] == [True, False]
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
