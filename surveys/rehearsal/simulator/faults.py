"""What goes wrong on purpose, for the next calls of an operation."""

from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

from surveys.rehearsal.simulator.store import Moment
from surveys.rehearsal.simulator.web import Reply

SUBMISSION = "externalSubmit"  # a worker's, counted and spoilt like an operation


class FaultKind(StrEnum):
    FAIL = "fail"  # nothing is done, and 500 says so
    DONE_THEN_FAIL = "done_then_fail"  # it is done, and 500 denies it
    DONE_THEN_CUT = "done_then_cut"  # it is done, and the connection ends
    THROTTLE = "throttle"
    SLOW = "slow"  # it is done, and said so many seconds later
    UNSEEN = "unseen"  # of a submission: requesters do not see it for so many seconds


class Fault(NamedTuple):
    kind: FaultKind
    seconds: float


def queue_fault(moment: Moment, operation: str, fault: Fault, n_calls: int) -> None:
    """Let the next calls of an operation go wrong, after those that are queued for it."""
    moment.store.insert(
        "fault", operation=operation, kind=fault.kind, n_left=n_calls, seconds=fault.seconds
    )


def take_fault(moment: Moment, operation: str) -> Fault | None:
    """What is to go wrong with this call of an operation; used up by it."""
    found = moment.store.row(
        "SELECT * FROM fault WHERE operation = ? AND n_left > 0 ORDER BY serial", operation
    )
    if found is None:
        return None
    moment.store.write("UPDATE fault SET n_left = n_left - 1 WHERE serial = ?", found["serial"])
    moment.store.write("DELETE FROM fault WHERE n_left <= 0")
    return Fault(FaultKind(found["kind"]), found["seconds"])


def spoil(reply: Reply, fault: Fault | None) -> Reply:
    """The answer of what was done, as the fault lets it arrive."""
    if fault and fault.kind == FaultKind.DONE_THEN_CUT:
        return replace(reply, is_cut=True)
    if fault and fault.kind == FaultKind.SLOW:
        return replace(reply, delay_seconds=fault.seconds)
    return reply


def list_faults(moment: Moment) -> list[dict[str, Any]]:
    """What is queued, in its order."""
    statement = "SELECT operation, kind, n_left, seconds FROM fault ORDER BY serial"
    return [dict(row) for row in moment.store.rows(statement)]


def count_request(moment: Moment, operation: str) -> None:
    moment.store.write(
        "INSERT INTO request_count VALUES (?, 1) ON CONFLICT (operation)"
        " DO UPDATE SET n_requests = n_requests + 1",
        operation,
    )


def list_counts(moment: Moment) -> dict[str, int]:
    """How many requests each operation has had, retries and refused ones too."""
    rows = moment.store.rows("SELECT * FROM request_count ORDER BY operation")
    return {row["operation"]: row["n_requests"] for row in rows}
