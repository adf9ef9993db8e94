"""The one process of a site that calculates for its pages and, without workers, performs its jobs.

Before the web server starts, its launcher forks a keeper: a copy of the loaded application that
waits at a socket. Processes that serve pages send messages there. The keeper then forks the job
process, which reads from the same socket, and ends after a minute without work. What is sent
meanwhile starts the next one, so there is never more than one, and no message is missed. When the
last process that can send has ended, for whatever reason, both end as well.

A page that needs pandas, SciPy, matplotlib or pyarrow calls a function there (`in_job_process`), so
that only one process loads them, and their memory is free again a minute later.
"""

import logging
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from threading import Thread
from typing import ParamSpec, TypeVar, cast

from django.db import connection

from surveys.errors import NotCalculated, SurveyError

IDLE_SECONDS = 60  # after which the job process ends
PAUSE = 1  # seconds before the successor of a job process that has failed
CALL_SECONDS = 120  # that a page waits
MESSAGE_BYTES = 4096
WAKE = "wake"  # a message: jobs are due
CALL = "call"  # a message with a socket, over which the function, its arguments and result go
NO_ANSWER = (
    "This could not be calculated now: it took too long, or the process ended. Try again in a "
    "minute; if that does not help, ask an operator for the log."
)
P = ParamSpec("P")
R = TypeVar("R")
log = logging.getLogger(__name__)


class JobProcess:
    """The job process, for the processes that send it messages."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None

    @property
    def is_kept(self) -> bool:
        """Return whether this process belongs to a site with a keeper, and can send messages."""
        return self._socket is not None

    def start_keeper(self, perform: Callable[[socket.socket], None]) -> None:
        """Start the keeper. At exit, this process waits for the keeper and the job process to end.

        `perform` does the work of a job process. It gets the socket of the messages.
        """
        receiver, sender = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sender.setblocking(False)
        keeper = get_context("fork").Process(target=_keep, args=(receiver, sender, perform))
        keeper.start()
        receiver.close()
        self._socket = sender

        Finalize(None, sender.close, exitpriority=0)  # before this process waits for the keeper

    def wake(self) -> None:
        """Let the job process look for due jobs, which it will anyway if many messages wait."""
        self._send(WAKE)

    def call(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Return what a function returns in the job process, or raise what it raises there.

        Raises NotCalculated if that takes too long, or the job process ends.
        """
        pipe, far_end = Pipe()
        with pipe:
            with far_end:
                is_sent = self._send(CALL, far_end.fileno())
            try:
                if is_sent:
                    pipe.send((function.__module__, function.__qualname__, arguments, named))
                if not is_sent or not pipe.poll(CALL_SECONDS):
                    raise NotCalculated(NO_ANSWER)
                result, error = pipe.recv()
            except (EOFError, OSError) as ended:
                raise NotCalculated(NO_ANSWER) from ended
        if error:
            raise error
        return cast("R", result)

    def _send(self, message: str, *files: int) -> bool:
        if self._socket is None:
            return False
        try:
            socket.send_fds(self._socket, [message.encode()], files)
        except BlockingIOError:
            return False
        except OSError:  # the keeper was killed; `scripts/serve` starts the site again
            log.exception("the keeper of the job process has ended; the web server is stopped")
            os.kill(os.getppid(), signal.SIGTERM)
            return False
        return True


JOB_PROCESS = JobProcess()


def in_job_process(function: Callable[P, R]) -> Callable[P, R]:
    """Let pages call a function in the job process; other processes call it themselves.

    The function must be one of a module, and neither write to the database nor read what the page
    has not committed. Arguments and result are pickled.
    """

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        if JOB_PROCESS.is_kept:
            return JOB_PROCESS.call(function, *arguments, **named)
        return function(*arguments, **named)

    return call


def read_messages(receiver: socket.socket, is_busy: Callable[[], bool]) -> Iterator[None]:
    """Yield when woken, and answer calls, until this process should end.

    It should if the site has ended, or after a time in which nothing was done.
    """
    calls: list[Thread] = []
    while True:
        event = _wait(receiver, IDLE_SECONDS)
        if event & select.POLLHUP:
            return
        calls = [call for call in calls if call.is_alive()]
        if not event and not calls and not is_busy():
            return
        if not event:
            continue
        message, files, _, _ = socket.recv_fds(receiver, MESSAGE_BYTES, 1)
        if message != CALL.encode():
            yield
            continue
        calls.append(Thread(target=_answer, args=files, name="call", daemon=True))
        calls[-1].start()


def _keep(
    receiver: socket.socket, sender: socket.socket, perform: Callable[[socket.socket], None]
) -> None:
    """Fork a job process whenever messages have arrived, until no process can send more."""
    sender.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the web server
    while _wait(receiver) == select.POLLIN:
        process = get_context("fork").Process(target=_perform, args=(receiver, perform))
        process.start()
        process.join()
        if process.exitcode:
            log.error("the job process has ended (status %s)", process.exitcode)
            time.sleep(PAUSE)


def _perform(receiver: socket.socket, perform: Callable[[socket.socket], None]) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # runs are given back at the end
    perform(receiver)


def _answer(file: int) -> None:
    """Call a function for a page, and send it what is returned or raised."""
    with Connection(file) as page:
        module, name, arguments, named = page.recv()
        result, raised = None, None
        try:
            result = getattr(import_module(module), name)(*arguments, **named)
        except Exception as error:  # for the page to raise
            raised = error
            if not isinstance(error, SurveyError):
                log.exception("a call of %s.%s failed", module, name)
        finally:
            connection.close()
        page.send((result, raised))


def _wait(receiver: socket.socket, seconds: float | None = None) -> int:
    """Wait until there are messages or nobody can send; return these events, or 0."""
    waiting = select.poll()
    waiting.register(receiver, select.POLLIN)
    return dict(waiting.poll(seconds and seconds * 1000)).get(receiver.fileno(), 0)
