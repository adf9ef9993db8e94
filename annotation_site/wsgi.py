"""The WSGI application, without background work: `annotation_site.asgi` adds that."""

import os

from django.core.wsgi import get_wsgi_application

from surveys.operations import migration_guard, server_checks

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

application = get_wsgi_application()
migration_guard.check_at_start()
server_checks.check_at_start()
