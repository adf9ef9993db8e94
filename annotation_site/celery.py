"""The Celery app: tasks of `surveys.tasks`, for workers at `CELERY_BROKER_URL`."""

import os

from celery import Celery
from celery.signals import worker_init, worker_ready, worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

app = Celery("cosima")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect  # type: ignore[untyped-decorator]
def check_database(**sent: object) -> None:
    """Stop a worker at start if newer code has migrated the database."""
    from surveys.operations.migration_guard import check_at_start

    check_at_start()


@worker_ready.connect  # type: ignore[untyped-decorator]
def start_dispatcher(**sent: object) -> None:
    """Find jobs that were stored while the broker or the workers were away."""
    from surveys.tasks import DISPATCHER

    DISPATCHER.start()


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def give_runs_back(**sent: object) -> None:
    """Return the runs of a terminated worker to the queue."""
    from surveys import tasks

    tasks.give_runs_back()
