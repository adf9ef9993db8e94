"""The ASGI application of a process of the web server, which `annotation_site.launcher` starts."""

import gc

from django.conf import settings

from annotation_site.gateway import Gateway, Limits
from annotation_site.wsgi import application as site
from surveys.jobs.dispatcher import DISPATCHER

N_THREADS = 2  # a slow page would block a process with one

application = Gateway(
    site,
    Limits(
        n_threads=N_THREADS,
        client_seconds=settings.REQUEST_SECONDS,
        largest_body=settings.API_LARGEST_REQUEST,
        memory=10 * settings.API_LARGEST_REQUEST,
    ),
)

DISPATCHER.start()

# Loaded modules stay until the process ends, so the garbage collector can skip them, and collect
# the garbage of requests less often: some dozens of requests together take 2 MB.
gc.freeze()
gc.set_threshold(5_000, 20, 20)
