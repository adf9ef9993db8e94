"""Background jobs in tests: kinds whose maker a test chooses, and the passing of time."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from django.conf import settings
from django.utils import timezone

from surveys.features import Feature, Kind, Lane, register
from surveys.jobs.perform import perform, perform_due
from surveys.jobs.queue import requeue_silent
from surveys.models import Job, Run
from surveys.monitoring.checklist import forget_steps

WORK = "tests.work"


def register_work(**fields: Any) -> None:
    """Register the kind `WORK`."""
    kind = Kind(name=WORK, label="work", **{"make": "builtins.print", **fields})
    register(Feature(name="tests", job_kinds=(kind,)))


def made_by(maker: Callable[..., object]) -> AbstractContextManager[object]:
    """Let a maker perform all jobs within the context."""
    return patch("surveys.jobs.perform.import_string", lambda name: maker)


def perform_by(maker: Callable[..., object], job: Job) -> Job:
    """Perform a job by a maker; return it as it is stored then."""
    with made_by(maker):
        perform(job.pk)
    return Job.objects.get(pk=job.pk)


def perform_run(run_id: int) -> None:
    """Perform a run whenever it is due, and have its study's steps counted, as after a commit."""
    run = Run.objects.get(pk=run_id)
    Job.objects.filter(run=run, state="waiting").update(due_at=timezone.now())
    perform(run.job_id)
    forget_steps(run.study)


def perform_all() -> int:
    """Perform all due jobs; return their number."""
    return sum(perform_due(lane) for lane in Lane)


def fall_silent() -> None:
    """Let the leases of all running jobs expire, and a process notice it."""
    expired = timezone.now() - timedelta(seconds=settings.JOB_SILENCE + 1)
    Job.objects.filter(state="running").update(heard_at=expired)
    requeue_silent()


def let_time_pass() -> None:
    """Let all jobs that wait be due now."""
    Job.objects.filter(state="waiting").update(due_at=timezone.now())
