"""Workers, worker blocks, and messages to workers."""

import json
import re
import secrets
import sqlite3
from dataclasses import dataclass
from typing import Any

from mturk_simulator.market.store import ID_LETTERS, Fields, Moment
from mturk_simulator.operations.paging import read_page
from mturk_simulator.operations.tasks import read_hit_type
from mturk_simulator.refusals import PageRefused, Refused, invalid_parameter

WORKER_ID = re.compile(r"A[A-Z0-9]{1,63}")
COUNTRY = re.compile(r"[A-Z]{2}")
MAX_RECIPIENTS, MAX_SUBJECT_LENGTH, MAX_TEXT_LENGTH = 100, 200, 4_096


@dataclass(frozen=True)
class WorkerProfile:
    """A new worker's place of residence and approval of earlier work."""

    worker_id: str = ""
    country: str = "US"
    subdivision: str = ""
    approval_rate: int = 99
    n_approved: int = 1_000
    is_adult: bool = True
    is_master: bool = False


def add_worker(moment: Moment, profile: WorkerProfile) -> str:
    """Create a worker and return the id. Raises PageRefused for an invalid profile or id."""
    worker_id = profile.worker_id or "A" + "".join(secrets.choice(ID_LETTERS) for _ in range(13))
    if not WORKER_ID.fullmatch(worker_id):
        raise PageRefused("A worker's id begins with A and has only capital letters and digits.")
    if not COUNTRY.fullmatch(profile.country):
        raise PageRefused("A country is two capital letters, such as US.")
    if profile.subdivision and not COUNTRY.fullmatch(profile.subdivision):
        raise PageRefused("A subdivision is two capital letters, such as NY, or nothing.")
    if not 1 <= profile.approval_rate <= 100 or not 0 <= profile.n_approved <= 10_000_000:
        raise PageRefused("An approval rate lies between 1 and 100; approved HITs are 0 or more.")
    if find_worker(moment, worker_id):
        raise PageRefused(f"There is a worker {worker_id} already.")
    rate = profile.approval_rate
    moment.store.insert(
        "worker",
        worker_id=worker_id,
        country=profile.country,
        subdivision=profile.subdivision,
        n_approved=profile.n_approved,
        n_rejected=profile.n_approved * (100 - rate) // rate,
        is_adult=profile.is_adult,
        is_master=profile.is_master,
    )
    return worker_id


def list_workers(moment: Moment) -> list[sqlite3.Row]:
    """Return all workers, the earliest first."""
    return moment.store.rows("SELECT * FROM worker ORDER BY rowid")


def find_worker(moment: Moment, worker_id: str) -> sqlite3.Row | None:
    return moment.store.row("SELECT * FROM worker WHERE worker_id = ?", worker_id)


def read_worker(moment: Moment, worker_id: str) -> sqlite3.Row:
    """Return a worker for a requester. Raises Refused."""
    return moment.read("Worker", "SELECT * FROM worker WHERE worker_id = ?", worker_id)


def is_blocked(moment: Moment, requester: str, worker_id: str) -> bool:
    statement = "SELECT 1 FROM worker_block WHERE requester = ? AND worker_id = ?"
    return moment.store.row(statement, requester, worker_id) is not None


def create_worker_block(moment: Moment, requester: str, arguments: Fields) -> Fields:
    worker = read_worker(moment, arguments["WorkerId"])
    moment.store.write(
        "INSERT INTO worker_block (requester, worker_id, reason) VALUES (?, ?, ?)"
        " ON CONFLICT (requester, worker_id) DO UPDATE SET reason = excluded.reason",
        requester, worker["worker_id"], arguments["Reason"],
    )  # fmt: skip
    return {}


def delete_worker_block(moment: Moment, requester: str, arguments: Fields) -> Fields:
    worker_id = arguments["WorkerId"]
    if not is_blocked(moment, requester, worker_id):
        raise Refused(f"Worker {worker_id} is not blocked.", "WorkerBlockDoesNotExist")
    moment.store.write(
        "DELETE FROM worker_block WHERE requester = ? AND worker_id = ?", requester, worker_id
    )
    return {}


def list_worker_blocks(moment: Moment, requester: str, arguments: Fields) -> Fields:
    rows, paging = read_page(
        moment, "ListWorkerBlocks", arguments,
        "SELECT * FROM worker_block WHERE requester = ?", requester,
    )  # fmt: skip
    blocks = [{"WorkerId": row["worker_id"], "Reason": row["reason"]} for row in rows]
    return {"WorkerBlocks": blocks, **paging}


def notify_workers(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Add a message to the outbox for each recipient who has worked for the requester."""
    subject, text = arguments["Subject"], arguments["MessageText"]
    recipients = arguments["WorkerIds"]
    if not 1 <= len(recipients) <= MAX_RECIPIENTS:
        raise invalid_parameter(f"WorkerIds are not 1 to {MAX_RECIPIENTS}.")
    if not 1 <= len(subject) <= MAX_SUBJECT_LENGTH or not 1 <= len(text) <= MAX_TEXT_LENGTH:
        raise invalid_parameter(
            f"Subject has 1 to {MAX_SUBJECT_LENGTH} characters, MessageText 1 to {MAX_TEXT_LENGTH}."
        )
    failures = []
    for worker_id in recipients:
        if _has_worked(moment, requester, worker_id):
            send_message(moment, requester, worker_id, subject, text)
            continue
        failures.append(
            {
                "NotifyWorkersFailureCode": "HardFailure",
                "NotifyWorkersFailureMessage": f"Worker {worker_id} has not worked for you.",
                "WorkerId": worker_id,
            }
        )
    return {"NotifyWorkersFailureStatuses": failures}


def _has_worked(moment: Moment, requester: str, worker_id: str) -> bool:
    statement = "SELECT 1 FROM assignment_of_hit WHERE requester = ? AND worker_id = ?"
    return moment.store.row(statement, requester, worker_id) is not None


def send_message(moment: Moment, requester: str, recipient: str, subject: str, body: str) -> None:
    """Store a message that would have been mailed."""
    moment.store.insert(
        "message",
        requester=requester,
        recipient=recipient,
        subject=subject,
        body=body,
        sent_at=moment.now,
    )


def list_messages(moment: Moment) -> list[dict[str, Any]]:
    """Return all stored messages, the latest first."""
    return [dict(row) for row in moment.store.rows("SELECT * FROM message ORDER BY serial DESC")]


def update_notification_settings(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Store where events of a HIT type would be sent; nothing is delivered."""
    hit_type = read_hit_type(moment, requester, arguments["HITTypeId"])
    if "Notification" not in arguments and "Active" not in arguments:
        raise invalid_parameter("Either Notification or Active is needed.")
    stored = moment.store.row(
        "SELECT * FROM notification WHERE hit_type_id = ?", hit_type["hit_type_id"]
    )
    content = json.dumps(arguments["Notification"]) if "Notification" in arguments else None
    if content is None and stored is None:
        raise invalid_parameter("This HIT type has no Notification to switch on or off.")
    moment.store.write(
        "INSERT OR REPLACE INTO notification VALUES (?, ?, ?)",
        hit_type["hit_type_id"],
        content or (stored["content"] if stored else ""),
        arguments.get("Active", stored["is_active"] if stored else False),
    )
    return {}


def send_test_event_notification(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Add the notification of an event to the outbox."""
    notification = arguments["Notification"]
    send_message(
        moment, requester, notification["Destination"], f"Test: {arguments['TestEventType']}",
        f"by {notification['Transport']}, version {notification['Version']}",
    )  # fmt: skip
    return {}
