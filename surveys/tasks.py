"""What is done in the background: doors to actions, by ids, safe to run twice."""

from collections.abc import Sequence
from threading import Thread, Timer

from celery import shared_task
from django.conf import settings
from django.db import connection, transaction

from surveys import notifying, running


@shared_task  # type: ignore[untyped-decorator]
def perform_run(run_id: int) -> None:
    """Do what a run asks for."""
    running.perform_run(run_id)


@shared_task  # type: ignore[untyped-decorator]
def deliver(delivery_id: int) -> None:
    """Send a message to a webhook, now and again until it has arrived or was tried enough."""
    pause = notifying.deliver(delivery_id)
    if pause is not None:
        deliver.apply_async((delivery_id,), countdown=pause + 1)


def start_run(run_id: int) -> None:
    """Have a run done once what was stored is there to be seen: by a worker, or else here."""

    def start() -> None:
        if settings.BACKGROUND == "workers":
            perform_run.delay(run_id)
        elif settings.BACKGROUND == "threads":
            Thread(target=_perform_in_thread, args=(run_id,), name=f"run-{run_id}").start()
        else:
            perform_run(run_id)

    transaction.on_commit(start)


def start_deliveries(delivery_ids: Sequence[int]) -> None:
    """Have messages sent once they are certain: by a worker, or else here."""

    def start() -> None:
        if settings.BACKGROUND == "workers":
            for delivery_id in delivery_ids:
                deliver.delay(delivery_id)
        elif settings.BACKGROUND == "threads":
            Thread(target=_deliver_in_thread, args=(delivery_ids,), name="deliveries").start()
        else:
            for delivery_id in delivery_ids:
                notifying.deliver(delivery_id)

    if delivery_ids:
        transaction.on_commit(start)


def _perform_in_thread(run_id: int) -> None:
    try:
        perform_run(run_id)
    finally:
        connection.close()


def _deliver_in_thread(delivery_ids: Sequence[int]) -> None:
    """What does not arrive is tried again while this process lives, then with the next message."""
    try:
        for delivery_id in delivery_ids:
            if (pause := notifying.deliver(delivery_id)) is not None:
                later = Timer(pause + 1, _deliver_in_thread, args=([delivery_id],))
                later.daemon = True
                later.start()
    finally:
        connection.close()
