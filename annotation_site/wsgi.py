"""The WSGI application, without background work: `annotation_site.asgi` adds that."""

import os

from django.core.wsgi import get_wsgi_application

from surveys.operations.migration_guard import check_at_start

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

application = get_wsgi_application()
check_at_start()
