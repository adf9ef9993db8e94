"""What `manage.py check --deploy` and the start of a public site warn of."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection

from surveys.access.client_address import parse_address
from surveys.models import AuditEntry
from surveys.operations.health import LEAST_FREE
from surveys.recruitment.reaching import is_only_here, warn_unreachable

ENOUGH_FREE = 2**30  # bytes
CLOCK_SECONDS = 60  # that clocks may differ
MOUNTS = Path("/proc/self/mounts")
REMOTE_DISKS = ("nfs", "cifs", "smb", "ceph", "fuse.", "9p")  # beginnings of file systems' names
COUNT_MACHINES = (
    "SELECT count(DISTINCT CASE WHEN client_addr IS NULL OR client_addr <<= '127.0.0.0/8' "
    "OR client_addr = '::1' THEN '::1' ELSE client_addr END) FROM pg_stat_activity "
    "WHERE datname = current_database() AND usename = current_user"
)


@checks.register(deploy=True)
def check_public_site(**chosen: Any) -> list[checks.CheckMessage]:
    """Find what is wrong with settings and machine of a public site."""
    faults = [
        *_find_faults_of_settings(), *_find_faults_of_servers(), *_find_full_disk(),
        *_find_wrong_clocks(),
    ]  # fmt: skip
    return [checks.Warning(what, hint=hint, id=f"surveys.{name}") for name, what, hint in faults]


def check_at_start() -> list[checks.CheckMessage]:
    """Find the same when a server or worker starts, unless its site is for this machine alone."""
    return [] if is_only_here() else check_public_site()


Faults = Iterator[tuple[str, str, str]]  # id, what is wrong, and what to do


def _find_faults_of_settings() -> Faults:
    if warning := warn_unreachable():
        yield "W010", warning, ""
    elif not settings.IS_HTTPS:
        what = f"SITE_URL is {settings.SITE_URL}: passwords and answers can be read on their way."
        yield "W010", what, "Put a proxy in front and begin SITE_URL with https (docs/deploy.md)."
    if not settings.EMAIL_HOST:
        what = "The site sends no e-mail: invitations and reminders are copied by hand."
        yield "W011", what, "Set EMAIL_URL and EMAIL_FROM (docs/settings.md)."
    if settings.DEBUG:
        yield "W012", "DEBUG is on: pages of errors show settings and data to anybody.", "Unset it."


def _find_faults_of_servers() -> Faults:
    if connection.vendor == "sqlite":
        broker = urlsplit(settings.CELERY_BROKER_URL).hostname or "localhost"
        address = parse_address(broker)
        is_here = address.is_loopback if address else broker == "localhost"
        if not is_here or _is_remote(Path(str(settings.DATABASES["default"]["NAME"]))):
            what = "The database is SQLite, but broker or database file is on another machine."
            yield "W013", what, "SQLite is for one machine: use PostgreSQL (DATABASE_URL) for more."
    elif not settings.CACHE_URL and (number := _count_machines()) > 1:
        what = f"{number} machines use the database, without Redis: each counts limits for itself."
        yield "W014", what, "Set CELERY_BROKER_URL or CACHE_URL on all of them."


def _is_remote(file: Path) -> bool:
    """Return whether a file is on another machine's disk."""
    try:
        mounts = [line.split()[1:3] for line in MOUNTS.read_text().splitlines()]
    except OSError:
        return False
    folders = {str(folder) for folder in file.absolute().parents}
    _, system = max(((at, system) for at, system in mounts if at in folders), default=("", ""))
    return system.startswith(REMOTE_DISKS)


def _count_machines() -> int:
    with suppress(DatabaseError), connection.cursor() as cursor:
        cursor.execute(COUNT_MACHINES)
        return int(cursor.fetchone()[0])
    return 0


def _find_full_disk() -> Faults:
    free = shutil.disk_usage(settings.VAR_DIR).free
    if free < ENOUGH_FREE:
        limit = f"below {LEAST_FREE >> 20} MB it stops working"
        what = f"The disk of {settings.VAR_DIR} has {free >> 20} MB free; {limit}."
        yield "W015", what, "Delete old backups and files, or enlarge the disk."


def _find_wrong_clocks() -> Faults:
    try:
        ZoneInfo("Europe/Ljubljana")
    except ZoneInfoNotFoundError:
        what = "This machine knows no time zones: deadlines of shared tasks cannot be calculated."
        yield "W017", what, "Install them: apt-get install tzdata."
    for name, seconds in _read_clocks():
        minutes = round((seconds - time.time()) / 60)
        if abs(minutes) * 60 >= CLOCK_SECONDS:
            way = "behind" if minutes > 0 else "ahead of"
            what = f"This machine's clock is {abs(minutes)} minutes {way} {name}."
            hint = "Let it follow a time server; whole hours mean a wrong time zone."
            yield "W016", what, hint


def _read_clocks() -> Iterator[tuple[str, float]]:
    """Yield clocks other than this process's, and the latest instant that is stored if later."""
    with suppress(OSError), TemporaryFile(dir=settings.VAR_DIR) as file:
        yield "its disk's", os.fstat(file.fileno()).st_mtime
    with suppress(DatabaseError):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
                yield "the database's", float(cursor.fetchone()[0])
        latest = AuditEntry.objects.values_list("at", flat=True).first()
        if latest and latest.timestamp() > time.time():
            yield "the latest entry of the log", latest.timestamp()
