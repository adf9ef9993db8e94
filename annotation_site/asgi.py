"""What the web server serves: `granian --interface asginl annotation_site.asgi:application`."""

import gc

from django.conf import settings

from annotation_site.gateway import Gateway, Limits
from annotation_site.wsgi import application as site

application = Gateway(
    site,
    Limits(
        n_threads=settings.WEB_THREADS,
        body_seconds=settings.REQUEST_SECONDS,
        largest_body=settings.API_LARGEST_REQUEST,
        room=10 * settings.API_LARGEST_REQUEST,
    ),
)

# What has been loaded by now stays until the process ends: the garbage collector need not go
# through it again and again, and what requests leave behind can wait for more of its kind.
gc.freeze()
gc.set_threshold(20_000, 20, 20)
