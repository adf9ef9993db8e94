"""Messages to workers through the broker; the jobs themselves are rows in the database.

No request waits for the broker: if it hangs or is away, the dispatcher's thread loses a few
seconds.
"""

import logging
from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

from surveys.features import Lane

if TYPE_CHECKING:
    from celery import Celery
    from kombu.connection import Connection

PERFORM = "perform_jobs"  # the one task, of `annotation_site.celery`
MAX_QUEUED = 20  # messages; no more are sent then
EXPIRY = 60  # seconds after which workers drop a message; if needed, a newer one was sent
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


@cache
def celery_app() -> "Celery":
    """Return the Celery app of this process."""
    from celery import Celery  # slow to import, and not needed without workers

    app = Celery("cosima")
    app.config_from_object("django.conf:settings", namespace="CELERY")
    return app


class Broker:
    """The broker, and whether this process last found it away."""

    def __init__(self) -> None:
        self.is_away = False

    def ask(self, lanes: Collection[Lane]) -> bool:
        """Ask workers for jobs of lanes; return False if the broker is away or its queue is full.

        Without lanes, only checks whether the broker is available.
        """
        from kombu.connection import Connection
        from kombu.exceptions import KombuError
        from redis.exceptions import RedisError

        app, url = celery_app(), settings.CELERY_BROKER_URL
        try:
            with Connection(  # type: ignore[no-untyped-call]
                url, transport_options=PATIENCE
            ) as connection:
                has_room = _count_queued(connection) < MAX_QUEUED
                for lane in lanes if has_room else ():
                    app.send_task(
                        PERFORM, [lane.name], connection=connection, retry=False, expires=EXPIRY
                    )
        except (KombuError, RedisError, OSError) as error:
            self._note(is_away=True, reason=str(error))
            return False
        self._note(is_away=False)
        return has_room

    def _note(self, *, is_away: bool, reason: str = "") -> None:
        if is_away and not self.is_away:
            log.error("the broker cannot be reached; due jobs wait: %s", reason[:200])
        elif self.is_away and not is_away:
            log.warning("the broker is available again")
        self.is_away = is_away


BROKER = Broker()


def _count_queued(connection: "Connection") -> int:
    channel = connection.default_channel
    try:
        declared = channel.queue_declare(  # type: ignore[no-untyped-call]
            settings.CELERY_TASK_DEFAULT_QUEUE, passive=True
        )
    except connection.channel_errors:  # no message was ever sent
        return 0
    return int(declared.message_count)
