"""The state of the whole site in figures: read from its database and disk when somebody asks."""

import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q, QuerySet
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from postprocess.version import __version__
from surveys.features import load_objects
from surveys.models import Job, JobState, Place, Study, TimerRun
from surveys.models.quota import IS_FREE
from surveys.operations.health import HEALTHY, check_health
from surveys.operations.patience import limiting_queries

PATIENCE = 5.0  # seconds for each query


@dataclass(frozen=True)
class Gauge:
    """A figure with one value, by "", or with a value for each value of its label."""

    name: str
    text: str
    values: Mapping[str, float]
    label: str = ""


@dataclass(frozen=True)
class Queue:
    """The jobs of one kind: how many wait and failed, and since when the oldest is due."""

    kind: str
    n_waiting: int
    n_running: int
    n_failed: int
    oldest: datetime | None  # since when the oldest waiting job is due

    @property
    def seconds(self) -> float:
        """The time for which the oldest waiting job has been due; 0 without any."""
        late = timezone.now() - self.oldest if self.oldest else None
        return max(0.0, late.total_seconds()) if late else 0.0


def list_queues() -> list[Queue]:
    """Return the queue of each kind that has jobs under way or failed, by name."""
    shown = (JobState.WAITING, JobState.RUNNING, JobState.FAILED)
    counts = {f"n_{state}": Count("pk", filter=Q(state=state)) for state in shown}
    kinds: QuerySet[Any] = Job.objects.filter(state__in=shown).order_by("kind").values("kind")
    oldest = Min("due_at", filter=Q(state=JobState.WAITING))
    return [Queue(**row) for row in kinds.annotate(**counts, oldest=oldest)]


def count_free_places() -> dict[str, int]:
    """Return the number of free places of each open study, by its name."""
    studies = Study.objects.filter(opened_at__isnull=False, closed_at=None).order_by("slug")
    free = Place.objects.filter(IS_FREE, study__in=studies.order_by()).order_by()
    counts = dict(free.values_list("study").annotate(n=Count("pk")))
    return {slug: counts.get(pk, 0) for pk, slug in studies.values_list("pk", "slug")}


def measure_database() -> int:
    """Return the size of the database in bytes; of SQLite's with its log of changes."""
    if connection.vendor == "sqlite":
        files = (Path(f"{connection.settings_dict['NAME']}{end}") for end in ("", "-wal"))
        return sum(path.stat().st_size for path in files if path.exists())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def describe_site() -> dict[str, str]:
    """Return what the site consists of, by name."""
    number = connection.get_database_version()
    return {
        "Cosima": __version__,
        "Python": platform.python_version(),
        "Django": django.get_version(),
        connection.display_name: ".".join(map(str, number)),
        "Database": filesizeformat(measure_database()),
        "Free space": filesizeformat(shutil.disk_usage(settings.VAR_DIR).free),
    }


def read_gauges() -> list[Gauge]:
    """Return all figures of the site; those of the database only while it answers."""
    health = check_health()
    gauges = [
        Gauge("part_is_healthy", "Whether /readyz calls a part healthy: 1 or 0",
              {part: state in HEALTHY for part, state in health.checks.items()}, "part"),
        Gauge("free_bytes", "Free space where VAR_DIR is",
              {"": shutil.disk_usage(settings.VAR_DIR).free}),
    ]  # fmt: skip
    if health.checks["database"] == "ok" and health.checks["migrations"] == "ok":
        with limiting_queries(PATIENCE):
            gauges += _read_stored()
    return gauges


def _read_stored() -> list[Gauge]:
    queues = list_queues()
    timers = {timer.name: timer.ran_at.timestamp() for timer in TimerRun.objects.all()}
    apps = [gauge for read in load_objects("gauges") for gauge in read()]
    return [
        Gauge("database_bytes", "Size of the database", {"": measure_database()}),
        Gauge("jobs_waiting", "Jobs that wait", {q.kind: q.n_waiting for q in queues}, "kind"),
        Gauge("jobs_failed", "Jobs that failed", {q.kind: q.n_failed for q in queues}, "kind"),
        Gauge("job_delay_seconds", "How long the oldest waiting job has been due",
              {q.kind: q.seconds for q in queues}, "kind"),
        Gauge("free_places", "Free places of an open study", count_free_places(), "study"),
        Gauge("timer_last_success_timestamp_seconds", "When a timer's command last succeeded",
              timers, "timer"),
        *apps,
    ]  # fmt: skip
