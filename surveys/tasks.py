"""The dispatcher of background jobs. What is to be done stands in the database: see `outbox`.

Each process that serves pages, and each worker, has a dispatcher: a thread that looks for what is
due every few seconds, and at once when this process has stored something. Where there are workers
it asks them; else it has the work done by threads of its own. No request waits for either.
"""

import logging
from collections.abc import Callable
from functools import partial, wraps
from threading import Event, Lock, Thread, Timer, main_thread
from typing import TypeVar

from celery import shared_task
from django.conf import settings
from django.db import connection, transaction

from surveys import outbox
from surveys.crowd.mturk import qualifications
from surveys.errors import GatewayDown, SurveyError
from surveys.models import Study
from surveys.operations.broker import BROKER, Job
from surveys.operations.outages import OUTAGES, log_outage
from surveys.results.run_leases import RENEWALS, release_all, take_back_silent_runs
from surveys.review import queue

Argument = TypeVar("Argument")
A_MOMENT = 0.3  # seconds in which the page that has asked is sent
RUNS_AT_ONCE = 2  # in a process that serves pages
SENDERS_AT_ONCE = 4  # one address that does not answer keeps one of them busy
log = logging.getLogger(__name__)


@shared_task  # type: ignore[untyped-decorator]
def perform_runs() -> None:
    """Perform what runs are due."""
    outbox.perform_due_runs()


@shared_task  # type: ignore[untyped-decorator]
def send_messages() -> None:
    """Send what messages to webhooks are due."""
    outbox.send_due_messages()


@shared_task(  # type: ignore[untyped-decorator]
    autoretry_for=(GatewayDown,), retry_backoff=True, max_retries=5
)
def tell_grants(target: str) -> None:
    """Tell a target who has which qualification."""
    qualifications.tell_grants(target)


@shared_task  # type: ignore[untyped-decorator]
def file_answers(study_id: int) -> None:
    """Look through some of the answers of a study that have come in, for its reviewers."""
    queue.file_meanwhile(Study.objects.get(pk=study_id))


def start_run(run_id: int) -> None:
    """Have a run performed once its transaction is committed."""

    def start() -> None:
        if settings.BACKGROUND == "at once":
            outbox.perform_run(run_id)
        else:
            DISPATCHER.wake()

    transaction.on_commit(start)


def start_deliveries() -> None:
    """Have messages to webhooks sent once their transaction is committed."""

    def start() -> None:
        if settings.BACKGROUND == "at once":
            outbox.send_due_messages()
        else:
            DISPATCHER.wake()

    transaction.on_commit(start)


def start_filing(study: Study) -> None:
    """Have what has come in of a study looked through, if something has, and it did not fail.

    Where the request is lost, the next look at the study's review asks again.
    """
    if queue.has_failed(study) or not queue.has_unfiled(study):
        return
    if settings.BACKGROUND == "workers":
        DISPATCHER.wake(Job(file_answers, study.pk))
    elif settings.BACKGROUND == "threads":
        later = Timer(A_MOMENT, _with_own_connection(file_answers), args=(study.pk,))
        later.name = f"filing-{study.pk}"
        later.start()
    else:
        file_answers(study.pk)


def start_telling_grants(target: str) -> None:
    """Have a target told of new grants, if there are any; it matters to nobody if it fails."""

    def start() -> None:
        if not qualifications.has_untold(target):
            return
        if settings.BACKGROUND == "workers":
            DISPATCHER.wake(Job(tell_grants, target))
        elif settings.BACKGROUND == "threads":
            Thread(target=_with_own_connection(_tell_grants), args=(target,), name="grants").start()
        else:
            _tell_grants(target)

    transaction.on_commit(start)


class Dispatcher:
    """Looks for what is due, now and again and when it is woken, once it was started."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._awake = Event()
        self._jobs: set[Job] = set()  # that workers are to be asked for
        self._runs: list[Thread] = []
        self._senders: list[Thread] = []
        self.is_started = False

    def start(self) -> None:
        """Begin to look for what is due in this process; twice does no harm."""
        with self._lock:
            if self.is_started:
                return
            self.is_started = True
        Thread(target=self._look_again_and_again, name="dispatcher", daemon=True).start()
        Thread(target=give_runs_back_at_the_end, name="end").start()

    def wake(self, job: Job | None = None) -> None:
        """Have the dispatcher look at once, and ask workers for a job if one is given."""
        if job:
            with self._lock:
                self._jobs.add(job)
        self._awake.set()

    def look(self) -> None:
        """Look once for what is due, and have it done."""
        if not main_thread().is_alive():  # this process ends
            return
        try:
            take_back_silent_runs()
            if settings.BACKGROUND == "workers":
                self._ask_workers()
            else:
                self._begin_threads()
        except OUTAGES as error:
            log_outage(error)
        finally:
            connection.close()

    def _look_again_and_again(self) -> None:
        """Look from a thread of its own each time: one that fails does not end the others."""
        while True:
            self._awake.clear()
            once = Thread(target=self.look, name="look", daemon=True)
            once.start()
            once.join()
            self._awake.wait(settings.RUN_SILENCE / RENEWALS)

    def _ask_workers(self) -> None:
        with self._lock:
            asked = set(self._jobs)
        due = set()
        if outbox.list_due_runs(1):
            due.add(Job(perform_runs))
        if outbox.count_due_messages(1):
            due.add(Job(send_messages))
        if BROKER.ask(due | asked):
            with self._lock:
                self._jobs -= asked

    def _begin_threads(self) -> None:
        self._runs = [thread for thread in self._runs if thread.is_alive()]
        self._senders = [thread for thread in self._senders if thread.is_alive()]
        for run_id in outbox.list_due_runs(RUNS_AT_ONCE - len(self._runs)):
            self._runs.append(self._begin(partial(outbox.perform_run, run_id), "run"))
        for _ in range(outbox.count_due_messages(SENDERS_AT_ONCE) - len(self._senders)):
            self._senders.append(self._begin(outbox.send_due_messages, "messages"))

    def _begin(self, work: Callable[[], object], name: str) -> Thread:
        """Work in a thread, and look again when it has ended."""

        def do() -> None:
            try:
                work()
            except OUTAGES as error:
                log_outage(error)
            finally:
                connection.close()
                self.wake()

        thread = Thread(target=do, name=name, daemon=True)
        thread.start()
        return thread


DISPATCHER = Dispatcher()


def give_runs_back_at_the_end() -> None:
    """Wait for the end of this process, as after SIGTERM, and let its runs wait for another."""
    main_thread().join()
    give_runs_back()


def give_runs_back() -> None:
    """Let what is performed by this process wait for another one."""
    try:
        release_all()
    except OUTAGES as error:  # others find the runs when their leases have run out
        log_outage(error)
    finally:
        connection.close()


def _with_own_connection(work: Callable[[Argument], object]) -> Callable[[Argument], None]:
    """Return the same for a thread, whose connection to the database is closed at the end."""

    @wraps(work)
    def do(argument: Argument) -> None:
        try:
            work(argument)
        except OUTAGES as error:
            log_outage(error)
        finally:
            connection.close()

    return do


def _tell_grants(target: str) -> None:
    """What the target did not take, the next round tells it (`run_crowd_round`)."""
    try:
        qualifications.tell_grants(target)
    except SurveyError as error:
        log.warning("%s was not told of grants: %s", target, error)
