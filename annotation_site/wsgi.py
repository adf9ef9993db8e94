import os

from django.core.wsgi import get_wsgi_application

from surveys.operations.migration_guard import check_at_start

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

application = get_wsgi_application()
check_at_start()

from surveys.tasks import DISPATCHER  # noqa: E402  (needs the set-up above)

DISPATCHER.start()
