"""Load the site, then serve it: `python -m annotation_site.launcher`, with granian's options.

The processes of the web server and the job process are forked from this one, so that they share
the memory of what is loaded. It must therefore start no threads and keep no connections.
"""

import gc
import multiprocessing
import os
import sys
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from granian.cli import entrypoint

from surveys.operations.job_process import JOB_PROCESS

# Libraries that Django REST framework loads if they are installed, for what no page uses.
UNUSED = ("requests", "docutils", "pygments", "jinja2")
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


def main() -> None:
    """Serve the site until a signal arrives."""
    multiprocessing.set_start_method("fork")
    load()
    from surveys.tasks import perform_asked

    JOB_PROCESS.start_keeper(perform_asked)
    entrypoint()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
