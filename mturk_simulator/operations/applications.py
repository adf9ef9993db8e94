"""Qualification requests of workers, and the decisions of requesters."""

import json
import sqlite3
from typing import Any

from mturk_simulator.market.people import send_message
from mturk_simulator.market.store import Fields, Moment, make_id, read_instant
from mturk_simulator.operations.paging import read_page
from mturk_simulator.operations.qualifications import grant
from mturk_simulator.operations.requirements import find_score, read_type
from mturk_simulator.refusals import PageRefused


def list_requestable(moment: Moment, worker: sqlite3.Row) -> list[dict[str, Any]]:
    """Return the qualification types that a worker may request, and those the worker has."""
    rows = moment.store.rows(
        "SELECT *, EXISTS (SELECT 1 FROM qualification_request AS asked WHERE is_open"
        " AND asked.qualification_type_id = qualification_type.qualification_type_id"
        " AND worker_id = ?) AS is_asked FROM qualification_type WHERE deleted_at IS NULL"
        " AND json_extract(content, '$.QualificationTypeStatus') = 'Active' ORDER BY serial",
        worker["worker_id"],
    )
    return [
        {
            "id": row["qualification_type_id"],
            "name": row["name"],
            "description": json.loads(row["content"])["Description"],
            "is_asked": bool(row["is_asked"]),
            "score": find_score(moment, worker, row["qualification_type_id"]),
        }
        for row in rows
    ]


def request_qualification(moment: Moment, worker: sqlite3.Row, type_id: str) -> None:
    """Request a qualification, or get one that is granted automatically. Raises PageRefused.

    A test of the type is not taken.
    """
    requestable = {kind["id"]: kind for kind in list_requestable(moment, worker)}
    if type_id not in requestable:
        raise PageRefused("This qualification cannot be requested.", status=404)
    if requestable[type_id]["is_asked"] or requestable[type_id]["score"] is not None:
        raise PageRefused("You have requested this qualification already.")
    statement = "SELECT * FROM qualification_type WHERE qualification_type_id = ?"
    row = moment.read("QualificationType", statement, type_id)
    content = json.loads(row["content"])
    _refuse_too_soon(moment, worker, type_id, content.get("RetryDelayInSeconds"))
    if content.get("AutoGranted"):
        grant(moment, row, worker["worker_id"], content.get("AutoGrantedValue", 1))
    moment.store.insert(
        "qualification_request",
        request_id=make_id(),
        qualification_type_id=type_id,
        worker_id=worker["worker_id"],
        requested_at=moment.now,
        is_open=not content.get("AutoGranted"),
    )


def _refuse_too_soon(moment: Moment, worker: sqlite3.Row, type_id: str, delay: int | None) -> None:
    last = moment.store.row(
        "SELECT max(requested_at) AS at FROM qualification_request"
        " WHERE qualification_type_id = ? AND worker_id = ?",
        type_id, worker["worker_id"],
    )  # fmt: skip
    if last is None or last["at"] is None:
        return
    if delay is None or moment.now < last["at"] + delay:
        raise PageRefused("You cannot request this qualification again now.")


def list_qualification_requests(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return the open requests of workers."""
    type_id = arguments.get("QualificationTypeId")
    if type_id:
        read_type(moment, requester, type_id)
    rows, paging = read_page(
        moment, "ListQualificationRequests", arguments,
        "SELECT * FROM qualification_request WHERE is_open AND (? IS NULL"
        " OR qualification_type_id = ?) AND qualification_type_id IN"
        " (SELECT qualification_type_id FROM qualification_type WHERE requester = ?"
        " AND deleted_at IS NULL)",
        type_id, type_id, requester,
    )  # fmt: skip
    requests = [
        {
            "QualificationRequestId": row["request_id"],
            "QualificationTypeId": row["qualification_type_id"],
            "WorkerId": row["worker_id"],
            "SubmitTime": read_instant(row["requested_at"]),
        }
        for row in rows
    ]
    return {"QualificationRequests": requests, **paging}


def accept_qualification_request(moment: Moment, requester: str, arguments: Fields) -> Fields:
    request, qualification_type = _close(moment, requester, arguments["QualificationRequestId"])
    grant(moment, qualification_type, request["worker_id"], arguments.get("IntegerValue", 1))
    return {}


def reject_qualification_request(moment: Moment, requester: str, arguments: Fields) -> Fields:
    request, qualification_type = _close(moment, requester, arguments["QualificationRequestId"])
    subject = f"Your request for the qualification {qualification_type['name']} was rejected"
    send_message(moment, requester, request["worker_id"], subject, arguments.get("Reason", ""))
    return {}


def _close(moment: Moment, requester: str, request_id: str) -> tuple[sqlite3.Row, sqlite3.Row]:
    """Close a request; return it and its type. Raises Refused."""
    statement = "SELECT * FROM qualification_request WHERE request_id = ? AND is_open"
    request = moment.read("QualificationRequest", statement, request_id)
    qualification_type = read_type(moment, requester, request["qualification_type_id"])
    moment.store.write(
        "UPDATE qualification_request SET is_open = 0 WHERE serial = ?", request["serial"]
    )
    return request, qualification_type
