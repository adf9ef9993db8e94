"""Background work: the tasks of `surveys.tasks`, for workers that `CELERY_BROKER_URL` reaches."""

import os

from celery import Celery
from celery.signals import worker_init, worker_ready, worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

app = Celery("cosima")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect  # type: ignore[untyped-decorator]
def check_database(**told: object) -> None:
    """End a worker at its start where newer code has changed the database."""
    from surveys.operations.migration_guard import check_at_start

    check_at_start()


@worker_ready.connect  # type: ignore[untyped-decorator]
def look_for_what_is_due(**told: object) -> None:
    """Have a worker find what was stored while there was no broker, or none of its kind."""
    from surveys.tasks import DISPATCHER

    DISPATCHER.start()


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def give_runs_back(**told: object) -> None:
    """Let the runs of a worker that is told to end wait for the next one."""
    from surveys import tasks

    tasks.give_runs_back()
