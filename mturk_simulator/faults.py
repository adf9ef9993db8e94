"""Simulated faults of the next calls of an operation."""

from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

from mturk_simulator.http.messages import Reply
from mturk_simulator.market.store import Moment

SUBMISSION = "externalSubmit"  # by a worker; counted and faulted like an operation


class FaultKind(StrEnum):
    FAIL = "fail"  # nothing is done; answered with 500
    DONE_THEN_FAIL = "done_then_fail"  # it is done, but answered with 500
    DONE_THEN_CUT = "done_then_cut"  # it is done, and the connection is cut
    THROTTLE = "throttle"
    SLOW = "slow"  # it is done, and answered so many seconds late
    UNSEEN = "unseen"  # a submission that requesters do not see for so many seconds


class Fault(NamedTuple):
    kind: FaultKind
    seconds: float


def queue_fault(moment: Moment, operation: str, fault: Fault, n_calls: int) -> None:
    """Queue a fault for the next calls of an operation."""
    moment.store.insert(
        "fault", operation=operation, kind=fault.kind, n_left=n_calls, seconds=fault.seconds
    )


def begin_call(moment: Moment, operation: str) -> Fault | None:
    """Count a call of an operation; return and use up the fault queued for it, if any."""
    moment.store.write(
        "INSERT INTO request_count VALUES (?, 1) ON CONFLICT (operation)"
        " DO UPDATE SET n_requests = n_requests + 1",
        operation,
    )
    fault = moment.store.row(
        "SELECT * FROM fault WHERE operation = ? AND n_left > 0 ORDER BY serial", operation
    )
    if fault is None:
        return None
    moment.store.write("UPDATE fault SET n_left = n_left - 1 WHERE serial = ?", fault["serial"])
    moment.store.write("DELETE FROM fault WHERE n_left <= 0")
    return Fault(FaultKind(fault["kind"]), fault["seconds"])


def apply_fault(reply: Reply, fault: Fault | None) -> Reply:
    """Return a reply changed by a fault in its delivery."""
    if fault and fault.kind == FaultKind.DONE_THEN_CUT:
        return replace(reply, is_cut=True)
    if fault and fault.kind == FaultKind.SLOW:
        return replace(reply, delay_seconds=fault.seconds)
    return reply


def list_faults(moment: Moment) -> list[dict[str, Any]]:
    """Return the queued faults in order."""
    statement = "SELECT operation, kind, n_left, seconds FROM fault ORDER BY serial"
    return [dict(row) for row in moment.store.rows(statement)]


def list_counts(moment: Moment) -> dict[str, int]:
    """Return the number of requests by operation, including retries and refused requests."""
    rows = moment.store.rows("SELECT * FROM request_count ORDER BY operation")
    return {row["operation"]: row["n_requests"] for row in rows}
