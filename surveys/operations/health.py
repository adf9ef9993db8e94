"""Health checks: database, migrations, files, disk and broker."""

import shutil
from functools import cache
from tempfile import TemporaryFile
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from surveys.operations.broker import BROKER
from surveys.operations.outages import OUTAGES, ask_database, is_outage, log_outage
from surveys.operations.patience import limiting_queries

PATIENCE = 2.0  # seconds for each query
LEAST_FREE = 50 * 2**20  # bytes, below which the disk counts as full
HEALTHY = ("ok", "not used")
READY, DEGRADED, FAILING = "ready", "degraded", "failing"


class Health(NamedTuple):
    """The overall status, and the result of each check."""

    status: str
    checks: dict[str, str]


def check_health() -> Health:
    """Check the site. It fails if answers cannot be stored; otherwise it may be degraded."""
    checks = {
        **_check_database(), "files": _check_files(), "disk": _check_disk(),
        "broker": _check_broker(),
    }  # fmt: skip
    needed = ["database", "migrations"]
    if connection.vendor == "sqlite":  # the database is on the same disk as the files
        needed += ["files", "disk"]
    if any(checks[name] not in HEALTHY for name in needed):
        return Health(FAILING, checks)
    is_healthy = all(state in HEALTHY for state in checks.values())
    return Health(READY if is_healthy else DEGRADED, checks)


def _check_database() -> dict[str, str]:
    try:
        with limiting_queries(PATIENCE):
            ask_database()
            return {"database": "ok", "migrations": _check_migrations()}
    except OUTAGES as error:
        log_outage(error)
        return {"database": "away", "migrations": "unknown"}


def _check_migrations() -> str:
    """Return whether the last migrations of this code are applied."""
    newest = _find_last_migrations()
    applied = MigrationRecorder.Migration.objects.filter(name__in={name for _, name in newest})
    try:
        is_up_to_date = newest <= set(applied.values_list("app", "name"))
    except DatabaseError as error:
        if is_outage(error):
            raise
        return "missing"  # not even the table of migrations exists
    return "ok" if is_up_to_date else "missing"


@cache
def _find_last_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


def _check_files() -> str:
    try:
        with TemporaryFile(dir=settings.VAR_DIR) as file:
            file.write(b"x")
            file.flush()
    except OSError:
        return "not writable"
    return "ok"


def _check_disk() -> str:
    try:
        free = shutil.disk_usage(settings.VAR_DIR).free
    except OSError:
        return "unknown"
    return "ok" if free >= LEAST_FREE else "full"


def _check_broker() -> str:
    """Return what the dispatcher of this process found last, without waiting for the broker."""
    if settings.BACKGROUND != "workers":
        return "not used"
    return "away" if BROKER.is_away else "ok"
