"""Commands that timers of the operator's machine run, and when each succeeded last."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction
from django.utils import timezone

from surveys.models import TimerRun

# by name: the command, and how long after a run the next is late
TIMERS = {
    "backup": ("backup", timedelta(hours=30)),
    "drop": ("drop_personal_data", timedelta(hours=30)),
    "check": ("restore --check", timedelta(days=8)),
}


@dataclass(frozen=True)
class Timer:
    """A timer's command, and when it last succeeded, if ever."""

    command: str
    ran_at: datetime | None
    is_late: bool


def note_run(name: str) -> None:
    """Store that a timer's command succeeded now, unless the database is yet to be migrated."""
    with suppress(DatabaseError), transaction.atomic():
        TimerRun.objects.update_or_create(name=name, defaults={"ran_at": timezone.now()})


def list_timers() -> list[Timer]:
    """Return all timers that a site should have."""
    runs, now = dict(TimerRun.objects.values_list("name", "ran_at")), timezone.now()
    return [
        Timer(command, ran_at := runs.get(name), ran_at is None or ran_at < now - pause)
        for name, (command, pause) in TIMERS.items()
    ]
