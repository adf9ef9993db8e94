"""Qualification types of a requester, and their grants to workers."""

import json
import sqlite3

from mturk_simulator.market.people import read_worker, send_message
from mturk_simulator.market.store import Fields, Moment, make_id, read_instant
from mturk_simulator.operations.paging import read_page
from mturk_simulator.operations.requirements import read_type
from mturk_simulator.refusals import Refused, invalid_parameter, missing

NAME_TAKEN_SECONDS = 48 * 3600  # after its type was deleted


def create_qualification_type(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Create a type; its name must be unique, also among those deleted in the last two days."""
    taken = moment.store.row(
        "SELECT 1 FROM qualification_type WHERE requester = ? AND name = ?"
        " AND (deleted_at IS NULL OR deleted_at > ?)",
        requester, arguments["Name"], moment.now - NAME_TAKEN_SECONDS,
    )  # fmt: skip
    if taken:
        raise Refused(
            "You have already created a QualificationType with this name.",
            "QualificationTypeAlreadyExists",
        )
    if not 1 <= len(arguments["Name"]) <= 200:
        raise invalid_parameter("Name does not have 1 to 200 characters.")
    _check_test(arguments)
    content = {name: value for name, value in arguments.items() if name != "Name"}
    type_id = make_id()
    moment.store.insert(
        "qualification_type",
        qualification_type_id=type_id,
        requester=requester,
        name=arguments["Name"],
        content=json.dumps(content),
        created_at=moment.now,
    )
    return _answer(moment, requester, type_id)


def _check_test(content: Fields) -> None:
    if "AnswerKey" in content and "Test" not in content:
        raise invalid_parameter("AnswerKey needs a Test.")
    if "Test" in content and "TestDurationInSeconds" not in content:
        raise invalid_parameter("Test needs TestDurationInSeconds.")
    if content.get("AutoGranted") and "Test" in content:
        raise invalid_parameter("AutoGranted does not go with a Test.")


def update_qualification_type(moment: Moment, requester: str, arguments: Fields) -> Fields:
    stored = read_type(moment, requester, arguments["QualificationTypeId"])
    changes = {name: value for name, value in arguments.items() if name != "QualificationTypeId"}
    content = {**json.loads(stored["content"]), **changes}
    _check_test(content)
    moment.store.write(
        "UPDATE qualification_type SET content = ? WHERE qualification_type_id = ?",
        json.dumps(content), stored["qualification_type_id"],
    )  # fmt: skip
    return _answer(moment, requester, stored["qualification_type_id"])


def delete_qualification_type(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Delete a type: all workers lose the qualification."""
    stored = read_type(moment, requester, arguments["QualificationTypeId"])
    moment.store.write(
        "UPDATE qualification_type SET deleted_at = ? WHERE qualification_type_id = ?",
        moment.now, stored["qualification_type_id"],
    )  # fmt: skip
    return {}


def get_qualification_type(moment: Moment, requester: str, arguments: Fields) -> Fields:
    return _answer(moment, requester, arguments["QualificationTypeId"])


def _answer(moment: Moment, requester: str, type_id: str) -> Fields:
    return {"QualificationType": _describe_type(read_type(moment, requester, type_id))}


def list_qualification_types(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return the requester's own types, whatever MustBeOwnedByCaller is: others are hidden."""
    rows, paging = read_page(
        moment, "ListQualificationTypes", arguments,
        "SELECT * FROM qualification_type WHERE requester = ? AND deleted_at IS NULL"
        " AND (? = 0 OR json_extract(content, '$.QualificationTypeStatus') = 'Active')"
        " AND instr(lower(name || ' ' || content), lower(?))",
        requester, arguments["MustBeRequestable"], arguments.get("Query", ""),
    )  # fmt: skip
    return {"QualificationTypes": [_describe_type(row) for row in rows], **paging}


def _describe_type(row: sqlite3.Row) -> Fields:
    content = json.loads(row["content"])
    return {
        "QualificationTypeId": row["qualification_type_id"],
        "Name": row["name"],
        "CreationTime": read_instant(row["created_at"]),
        "IsRequestable": content["QualificationTypeStatus"] == "Active",
        **content,
    }


def associate_qualification(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Grant a qualification or change its score; notify the worker unless switched off."""
    qualification_type = read_type(moment, requester, arguments["QualificationTypeId"])
    worker = read_worker(moment, arguments["WorkerId"])
    grant(moment, qualification_type, worker["worker_id"], arguments.get("IntegerValue", 1))
    if arguments.get("SendNotification", True):
        subject = f"You have been granted the qualification {qualification_type['name']}"
        send_message(moment, requester, worker["worker_id"], subject, "")
    return {}


def grant(moment: Moment, qualification_type: sqlite3.Row, worker_id: str, score: int) -> None:
    moment.store.write(
        "INSERT INTO qualification"
        " (qualification_type_id, worker_id, score, status, granted_at)"
        " VALUES (?, ?, ?, 'Granted', ?) ON CONFLICT (qualification_type_id, worker_id)"
        " DO UPDATE SET score = excluded.score, status = 'Granted',"
        " granted_at = excluded.granted_at",
        qualification_type["qualification_type_id"], worker_id, score, moment.now,
    )  # fmt: skip


def disassociate_qualification(moment: Moment, requester: str, arguments: Fields) -> Fields:
    qualification = _read_qualification(moment, requester, arguments)
    if qualification["status"] != "Granted":
        raise Refused("This qualification was revoked before.", "InvalidQualificationState")
    moment.store.write(
        "UPDATE qualification SET status = 'Revoked' WHERE serial = ?", qualification["serial"]
    )
    return {}


def get_qualification_score(moment: Moment, requester: str, arguments: Fields) -> Fields:
    return {
        "Qualification": _describe_qualification(_read_qualification(moment, requester, arguments))
    }


def _read_qualification(moment: Moment, requester: str, arguments: Fields) -> sqlite3.Row:
    read_type(moment, requester, arguments["QualificationTypeId"])
    statement = "SELECT * FROM qualification WHERE qualification_type_id = ? AND worker_id = ?"
    row = moment.store.row(statement, arguments["QualificationTypeId"], arguments["WorkerId"])
    if row is None:
        raise missing("Qualification", f"of worker {arguments['WorkerId']}")
    return row


def _describe_qualification(row: sqlite3.Row) -> Fields:
    return {
        "QualificationTypeId": row["qualification_type_id"],
        "WorkerId": row["worker_id"],
        "GrantTime": read_instant(row["granted_at"]),
        "IntegerValue": row["score"],
        "Status": row["status"],
    }


def list_workers_with_qualification_type(
    moment: Moment, requester: str, arguments: Fields
) -> Fields:
    read_type(moment, requester, arguments["QualificationTypeId"])
    rows, paging = read_page(
        moment, "ListWorkersWithQualificationType", arguments,
        "SELECT * FROM qualification WHERE qualification_type_id = ? AND status = ?",
        arguments["QualificationTypeId"], arguments.get("Status", "Granted"),
    )  # fmt: skip
    return {"Qualifications": [_describe_qualification(row) for row in rows], **paging}
