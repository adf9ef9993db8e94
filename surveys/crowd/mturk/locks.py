"""One at a time: a lock that holds over processes and is free at once when its holder dies."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

from surveys.errors import TargetBusy


@contextmanager
def alone(task: str, target: str) -> Iterator[None]:
    """Within this nobody else does the same work at a target. Raises TargetBusy.

    On PostgreSQL for all machines of the site, on SQLite for the one that there is.
    """
    hold = _hold_in_postgres if connection.vendor == "postgresql" else _hold_in_file
    with hold(f"{task} {target}") as is_held:
        if not is_held:
            raise TargetBusy(f"Somebody else is {task} at {target} now. Try again when it is done.")
        yield


@contextmanager
def _hold_in_postgres(name: str) -> Iterator[bool]:
    # A connection of its own, so that no transaction of ours ends it, held in a transaction, so
    # that a pooler between keeps it.
    other = connection.copy()
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [key])
            (is_held,) = cursor.fetchone()
        yield bool(is_held)
    finally:
        other.close()


@contextmanager
def _hold_in_file(name: str) -> Iterator[bool]:
    database = str(connection.settings_dict["NAME"])
    digest = hashlib.sha256(f"{database} {name}".encode()).hexdigest()
    folder = Path(settings.VAR_DIR) / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / digest[:32]).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
