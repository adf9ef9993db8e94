"""Asking workers through the broker, for which no request waits: the rows in the database wait.

A broker that hangs or is away costs the thread that asks a few seconds, and nothing else.
"""

import logging
from collections.abc import Collection
from typing import Any, NamedTuple

from celery import Task
from django.conf import settings
from kombu.connection import Connection
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

MOST_WAITING = 20  # messages in the queue, beyond which no more are sent
EXPIRY = 60  # seconds after which a worker drops a message: a newer one was sent if it is needed
PATIENCE = {
    "socket_connect_timeout": 1,
    "socket_timeout": 1,
    "retry_on_timeout": False,
    "max_retries": 0,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
log = logging.getLogger(__name__)


class Job(NamedTuple):
    """A task to be asked for, with its argument if it has one."""

    task: "Task[Any, Any]"
    argument: int | str | None = None


class Broker:
    """The broker as this process last found it."""

    def __init__(self) -> None:
        self.is_away = False

    def ask(self, jobs: Collection[Job]) -> bool:
        """Ask workers for jobs; False if the broker is away or many messages wait already.

        Without a job it is only looked whether the broker is there.
        """
        url = settings.CELERY_BROKER_URL
        try:
            with Connection(  # type: ignore[no-untyped-call]
                url, transport_options=PATIENCE
            ) as connection:
                has_room = _count_waiting(connection) < MOST_WAITING
                for job in jobs if has_room else ():
                    arguments = () if job.argument is None else (job.argument,)
                    job.task.apply_async(
                        arguments, connection=connection, retry=False, expires=EXPIRY
                    )
        except (KombuError, RedisError, OSError) as error:
            self._note(is_away=True, reason=str(error))
            return False
        self._note(is_away=False)
        return has_room

    def _note(self, *, is_away: bool, reason: str = "") -> None:
        if is_away and not self.is_away:
            log.error("the broker cannot be reached; what is due waits: %s", reason[:200])
        elif self.is_away and not is_away:
            log.warning("the broker is there again")
        self.is_away = is_away


BROKER = Broker()


def _count_waiting(connection: Connection) -> int:
    channel = connection.default_channel
    try:
        declared = channel.queue_declare(  # type: ignore[no-untyped-call]
            settings.CELERY_TASK_DEFAULT_QUEUE, passive=True
        )
    except connection.channel_errors:  # nothing was ever sent
        return 0
    return int(declared.message_count)
