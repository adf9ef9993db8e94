"""Process rows one by one: the error of one row is stored with it, and the others go on."""

import fcntl
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import Model

from surveys.access.redaction import mask_text
from surveys.crowd.errors import TargetBusy
from surveys.errors import GatewayDown, SurveyError

Progress = Callable[[str, int, int], None]  # stage, rows done, rows in all
Row = TypeVar("Row", bound=Model)
MAX_ERROR_LENGTH = 500
MAX_FAILURES_IN_A_ROW = 3  # after which the target counts as down


@dataclass
class Outcome:
    """Result of processing rows: how many of each kind, and the errors."""

    counts: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def as_report(self) -> dict[str, Any]:
        """Return the outcome as JSON values."""
        return {"counts": dict(sorted(self.counts.items())), "errors": self.errors}

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(self.counts + other.counts, [*self.errors, *other.errors])


def process_rows(
    rows: Sequence[Row],
    step: Callable[[Row], str | Counter[str]],
    stage: str = "",
    progress: Progress | None = None,
) -> Outcome:
    """Apply a step to each row and count the kinds of outcomes that it returns.

    Raises GatewayDown, for a retry, after all other rows were tried or too many failed in a row.
    """
    outcome, n_failed, down = Outcome(), 0, None
    for n, row in enumerate(rows):
        if progress:
            progress(stage, n, len(rows))
        try:
            done = step(row)
        except GatewayDown as error:
            down, n_failed = error, n_failed + 1
            _record_error(row, error, outcome)
            if n_failed == MAX_FAILURES_IN_A_ROW:
                break
        except SurveyError as error:
            n_failed = 0
            _record_error(row, error, outcome)
        else:
            n_failed = 0
            outcome.counts.update(done if isinstance(done, Counter) else [done] if done else [])
    if down:
        raise down
    return outcome


def clear_error(row: Model) -> None:
    """Clear the stored error of a row."""
    _store_error(row, "")


def _record_error(row: Model, error: SurveyError, outcome: Outcome) -> None:
    message = mask_text(str(error))[:MAX_ERROR_LENGTH]
    outcome.errors.append(f"{row}: {message}")
    _store_error(row, message)


def _store_error(row: Any, message: str) -> None:
    """Save the error of a row, and no other field; do nothing if the model has no such field."""
    if getattr(row, "error", message) != message:
        row.error = message
        row.save(update_fields=["error"])


@contextmanager
def exclusive_lock(task: str, target: str) -> Iterator[None]:
    """Hold the lock of a task at a target. Raises TargetBusy if another process holds it.

    On PostgreSQL the lock is an advisory one, for all machines of the site; on SQLite it is a file.
    """
    hold = _hold_in_postgres if connection.vendor == "postgresql" else _hold_in_file
    with hold(f"{task} {target}") as is_held:
        if not is_held:
            raise TargetBusy(f"Another process is {task} at {target} now. Try again when it ends.")
        yield


@contextmanager
def _hold_in_postgres(name: str) -> Iterator[bool]:
    # A separate connection, so that our own transactions do not release the lock, held in a
    # transaction, so that a connection pooler keeps it.
    other = connection.copy()
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [key])
            (is_held,) = cursor.fetchone()
        yield bool(is_held)
    finally:
        other.rollback()  # closing alone frees the lock only once the server has noticed
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
