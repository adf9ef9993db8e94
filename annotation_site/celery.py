"""The Celery app: one task, which performs due jobs, for workers at `CELERY_BROKER_URL`."""

import os

from celery.signals import worker_init, worker_ready, worker_shutting_down

from surveys.operations.broker import PERFORM, celery_app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

app = celery_app()


@app.task(name=PERFORM)  # type: ignore[untyped-decorator]
def perform_jobs(lane: str) -> int:
    """Perform a lane's due jobs, once Django is set up. Return their number."""
    from surveys.features import Lane
    from surveys.jobs.perform import perform_due

    return perform_due(Lane[lane])


@worker_init.connect  # type: ignore[untyped-decorator]
def check_database(**sent: object) -> None:
    """Stop a worker at start whose database or files are not its own."""
    from surveys.monitoring import public_site
    from surveys.operations import migration_guard, server_checks

    migration_guard.check_at_start()
    server_checks.report_at_start([*server_checks.check_marks(), *public_site.check_at_start()])


@worker_ready.connect  # type: ignore[untyped-decorator]
def start_dispatcher(**sent: object) -> None:
    """Find jobs that were stored while the broker or the workers were away."""
    from surveys.jobs.dispatcher import DISPATCHER

    DISPATCHER.start()


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def give_jobs_back(**sent: object) -> None:
    """Return the jobs of a terminated worker to the queue."""
    from surveys.jobs import dispatcher

    dispatcher.give_jobs_back()
