"""What is done in the background: doors to actions, by ids, safe to run twice."""

import logging
from collections.abc import Callable, Sequence
from functools import wraps
from threading import Thread, Timer
from typing import TypeVar

from celery import shared_task
from django.conf import settings
from django.db import connection, transaction

from surveys import filing, notifying, running
from surveys.errors import GatewayDown, SurveyError
from surveys.models import Study
from surveys.mturk import qualifying

Argument = TypeVar("Argument")
A_MOMENT = 0.3  # seconds in which the page that has asked is sent
log = logging.getLogger(__name__)


@shared_task  # type: ignore[untyped-decorator]
def perform_run(run_id: int) -> None:
    """Do what a run asks for; later, and again, while what it needs is down."""
    pause = running.perform_run(run_id)
    if pause is not None:
        perform_run.apply_async((run_id,), countdown=pause)


@shared_task(  # type: ignore[untyped-decorator]
    autoretry_for=(GatewayDown,), retry_backoff=True, max_retries=5
)
def tell_grants(target: str) -> None:
    """Tell a target who has which qualification."""
    qualifying.tell_grants(target)


@shared_task  # type: ignore[untyped-decorator]
def deliver(delivery_id: int) -> None:
    """Send a message to a webhook, now and again until it has arrived or was tried enough."""
    pause = notifying.deliver(delivery_id)
    if pause is not None:
        deliver.apply_async((delivery_id,), countdown=pause + 1)


@shared_task  # type: ignore[untyped-decorator]
def file_answers(study_id: int) -> None:
    """Look through some of the answers of a study that have come in, for its reviewers."""
    filing.file_meanwhile(Study.objects.get(pk=study_id))


def start_filing(study: Study) -> None:
    """Have what has come in of a study looked through, if something has, and it did not fail."""
    if filing.has_failed(study) or not filing.has_unfiled(study):
        return
    if settings.BACKGROUND == "workers":
        file_answers.delay(study.pk)
    elif settings.BACKGROUND == "threads":
        later = Timer(A_MOMENT, _with_own_connection(file_answers), args=(study.pk,))
        later.name = f"filing-{study.pk}"
        later.start()
    else:
        file_answers(study.pk)


def start_run(run_id: int) -> None:
    """Have a run done once what was stored is there to be seen: by a worker, or else here."""

    def start() -> None:
        if settings.BACKGROUND == "workers":
            perform_run.delay(run_id)
        elif settings.BACKGROUND == "threads":
            Thread(target=_perform_in_thread, args=(run_id,), name=f"run-{run_id}").start()
        else:
            running.perform_run(run_id)

    transaction.on_commit(start)


def start_telling_grants(target: str) -> None:
    """Have a target told of new grants, if there are any; it matters to nobody if it fails."""

    def start() -> None:
        if not qualifying.has_untold(target):
            return
        if settings.BACKGROUND == "workers":
            tell_grants.delay(target)
        elif settings.BACKGROUND == "threads":
            Thread(target=_with_own_connection(_tell_grants), args=(target,), name="grants").start()
        else:
            _tell_grants(target)

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


def _with_own_connection(work: Callable[[Argument], object]) -> Callable[[Argument], None]:
    """The same for a thread, whose connection to the database is closed at the end."""

    @wraps(work)
    def do(argument: Argument) -> None:
        try:
            work(argument)
        finally:
            connection.close()

    return do


def _do_later(pause: float, work: Callable[[Argument], None], argument: Argument) -> None:
    """Unless this process ends before."""
    later = Timer(pause, work, args=(argument,))
    later.daemon = True
    later.start()


@_with_own_connection
def _perform_in_thread(run_id: int) -> None:
    pause = running.perform_run(run_id)
    if pause is not None:
        _do_later(pause, _perform_in_thread, run_id)


def _tell_grants(target: str) -> None:
    """What the target did not take, the next round tells it (`run_crowd_round`)."""
    try:
        qualifying.tell_grants(target)
    except SurveyError as error:
        log.warning("%s was not told of grants: %s", target, error)


@_with_own_connection
def _deliver_in_thread(delivery_ids: Sequence[int]) -> None:
    """What does not arrive is tried again while this process lives, then with the next message."""
    for delivery_id in delivery_ids:
        if (pause := notifying.deliver(delivery_id)) is not None:
            _do_later(pause + 1, _deliver_in_thread, [delivery_id])
