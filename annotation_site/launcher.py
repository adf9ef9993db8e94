"""Load the site, then serve it: `python -m annotation_site.launcher ADDRESS PORT PROCESSES GRACE`.

A listening socket that systemd has passed on (`LISTEN_FDS`) is used in place of ADDRESS and PORT. A
fifth argument is the process id of an earlier server on that socket, which ends once this one
has loaded.

The processes of the web server and the job process are forked from this one, so that they share
the memory of what is loaded. It must therefore start no threads and keep no connections.
"""

import gc
import multiprocessing
import os
import signal
import socket
import sys
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from granian import _granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from surveys.operations.job_process import JOB_PROCESS

# Libraries that Django REST framework loads if they are installed, for what no page uses.
UNUSED = ("requests", "docutils", "pygments", "jinja2")
PASSED_SOCKET = 3  # file descriptor of the first socket that systemd passes on
HEAD_SECONDS = 15  # in which a request's head must arrive
BACKLOG = 4096  # connections that wait
PAGES = ("/healthz", "/", "/tasks/", "/console/sign-in/", "/survey/unknown/1/words/")


def load() -> None:
    """Load the application, and what its first pages load, such as templates and texts."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    gc.disable()  # garbage would leave holes in the shared memory, for each process to fill
    is_sqlite = settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")
    unused = (*UNUSED, "psycopg") if is_sqlite else UNUSED
    sys.modules |= dict.fromkeys(unused)  # type: ignore[arg-type]  # importing them fails
    from django.db import connections

    from annotation_site import gateway, wsgi  # noqa: F401

    site = urlsplit(settings.SITE_URL)
    for page in PAGES:
        environ = {"PATH_INFO": page, "HTTP_HOST": site.netloc, "wsgi.url_scheme": site.scheme}
        setup_testing_defaults(environ)
        answer = wsgi.application(environ, lambda *_: bytes)
        b"".join(answer)
        answer.close()
    connections.close_all()
    for name in unused:
        del sys.modules[name]
    gc.collect()
    gc.freeze()
    gc.enable()


class Server(MPServer):
    """Granian, whose processes share a socket that systemd has passed on.

    Such a socket keeps connections waiting while no server runs.
    """

    def _init_shared_socket(self) -> None:
        if os.environ.get("LISTEN_FDS"):
            with socket.socket(fileno=os.dup(PASSED_SOCKET)) as passed:
                # a connection is accepted once it has sent something, and not to be closed unread
                passed.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, HEAD_SECONDS)
            self._ssp = self._sso = None
            make_holder: Any = _granian.SocketHolder  # whose stub lacks its arguments
            self._shd = make_holder(PASSED_SOCKET, uds=False, backlog=BACKLOG)
        else:
            super()._init_shared_socket()  # type: ignore[no-untyped-call]


def main(address: str, port: str, n_processes: str, grace: str, replaced: str = "") -> None:
    """Serve the site until a signal arrives, after which requests may take `grace` seconds."""
    multiprocessing.set_start_method("fork")
    load()
    from surveys.jobs.dispatcher import perform_asked
    from surveys.operations.metrics import forget_counts

    forget_counts()

    server = Server(
        "annotation_site.asgi:application",
        address,
        int(port),
        interface=Interfaces.ASGINL,
        workers=int(n_processes),
        http=HTTPModes.http1,
        websockets=False,
        backlog=BACKLOG,
        backpressure=BACKLOG,
        http1_settings=HTTP1Settings(
            header_read_timeout=1000 * HEAD_SECONDS, max_buffer_size=65_536
        ),
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
        workers_kill_timeout=int(grace),
    )
    # As late as possible: memory that this process writes to afterwards is no longer shared.
    JOB_PROCESS.start_keeper(perform_asked)
    if replaced:
        with suppress(ProcessLookupError):
            os.kill(int(replaced), signal.SIGTERM)
    server.serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
