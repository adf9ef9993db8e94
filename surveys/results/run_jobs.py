"""Jobs whose results are runs: performed by a maker, and stored with the end of the job."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction

from surveys.access.audit_log import record
from surveys.errors import JobTaken
from surveys.jobs.perform import Maker, Progress, Store, renew_lease
from surveys.models import Job, JobState, Run
from surveys.results.run_files import drop_lists
from surveys.webhooks.messages import store_run_messages

RunMaker = Callable[[Run, Progress], dict[str, Any]]


def makes_run(make: RunMaker) -> Maker:
    """Let a function that returns the values of a run's fields, its report included, make a job.

    Files are written before the transaction that ends the job, and deleted if the job was taken.
    """

    @wraps(make)
    def make_job(job: Job, progress: Progress) -> Store:
        drop_lists()
        run = job.run
        _delete_files(run)  # of a process that was killed
        try:
            values = make(run, progress)
            renew_lease(job)
            run.report = values.pop("report")
            for name, value in values.items():
                if isinstance(value, ContentFile):
                    getattr(run, name).save(value.name, value, save=False)
                elif name != "request":
                    setattr(run, name, value)
        except JobTaken:
            for file in (run.archive, run.ledger):
                if file:
                    file.storage.delete(str(file))
            raise
        return partial(_store, run, values.get("request", job.request))

    return make_job


@transaction.atomic
def store_part(run: Run, report: dict[str, Any]) -> None:
    """Store what is done of a run, with the part itself. Raises JobTaken if it lost its lease."""
    Run.objects.filter(pk=run.pk).update(report=report)
    renew_lease(run.job)


def close_run(job: Job) -> None:
    """Log the end of a run's job, and announce it, in the transaction that ends the job."""
    run = job.run
    if job.state == JobState.DONE:
        named = {"recipe": run.recipe_name} if run.recipe_name else {}
        record(f"{run.kind}.made", run.study, run.name, **named)
    else:
        drop_lists()
    store_run_messages(run)


def _store(run: Run, request: dict[str, Any]) -> None:
    run.save()
    if request != run.request:
        Job.objects.filter(pk=run.job_id).update(request=request)


def _delete_files(run: Run) -> None:
    storage, folder = run.archive.storage, f"runs/{run.pk}"
    if storage.exists(folder):
        for name in storage.listdir(folder)[1]:
            storage.delete(f"{folder}/{name}")
