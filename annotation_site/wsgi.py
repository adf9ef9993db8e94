"""The WSGI application, without background work: `annotation_site.asgi` adds that."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

application = get_wsgi_application()

from surveys.monitoring import public_site  # noqa: E402  (needs the set-up)
from surveys.operations import migration_guard, server_checks  # noqa: E402

migration_guard.check_at_start()
server_checks.report_at_start([*server_checks.check_server(), *public_site.check_at_start()])
