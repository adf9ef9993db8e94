"""The Celery app: tasks of `surveys.tasks`, for workers at `CELERY_BROKER_URL`."""

import os

from celery.signals import import_modules, worker_init, worker_ready, worker_shutting_down

from surveys.operations.broker import celery_app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

app = celery_app()


@import_modules.connect  # type: ignore[untyped-decorator]
def register_tasks(**sent: object) -> None:
    """Register the tasks, once Django is set up."""
    from surveys.tasks import TASKS

    for task in TASKS.values():
        app.task(task)


@worker_init.connect  # type: ignore[untyped-decorator]
def check_database(**sent: object) -> None:
    """Stop a worker at start whose database or files are not its own."""
    from surveys.operations import migration_guard, server_checks

    migration_guard.check_at_start()
    server_checks.report_at_start(server_checks.check_marks())


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
