"""Background work: the tasks of `surveys.tasks`, for workers that `CELERY_BROKER_URL` reaches."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

app = Celery("cosima")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
