"""Submissions: read, approve, reject, give a bonus."""

import sqlite3

from mturk_simulator.market.accounts import charge, refuse_overdraft
from mturk_simulator.market.money import bonus_fee_cents, read_cents, write_dollars
from mturk_simulator.market.store import Fields, Moment, read_instant
from mturk_simulator.operations.paging import read_page
from mturk_simulator.operations.tasks import describe_hit, read_hit
from mturk_simulator.refusals import Invalid, Refused, invalid_parameter

OVERRIDE_SECONDS = 30 * 24 * 3600
MOST_BONUS_CENTS = 1_000_000
BONUS_SECONDS = 180 * 24 * 3600
INSTANTS = {
    "AcceptTime": "accepted_at",
    "SubmitTime": "submitted_at",
    "Deadline": "deadline_at",
    "AutoApprovalTime": "auto_approval_at",
    "ApprovalTime": "approved_at",
    "RejectionTime": "rejected_at",
}
ALL_STATUSES = ["Submitted", "Approved", "Rejected"]


def get_assignment(moment: Moment, requester: str, arguments: Fields) -> Fields:
    assignment = _read_assignment(moment, requester, arguments["AssignmentId"])
    hit = describe_hit(moment, read_hit(moment, requester, assignment["hit_id"]))
    return {"Assignment": _describe(assignment), "HIT": hit}


def list_assignments_for_hit(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return the submissions of a HIT, without assignments in progress."""
    hit = read_hit(moment, requester, arguments["HITId"])
    statuses = [status.lower() for status in arguments.get("AssignmentStatuses") or ALL_STATUSES]
    rows, paging = read_page(
        moment, "ListAssignmentsForHIT", arguments,
        "SELECT * FROM assignment WHERE hit_id = ? AND seen_from <= ? AND state IN (?, ?, ?)",
        hit["hit_id"], moment.now, *(statuses * 3)[:3],
    )  # fmt: skip
    return {"Assignments": [_describe(row) for row in rows], **paging}


def _read_assignment(moment: Moment, requester: str, assignment_id: str) -> sqlite3.Row:
    return moment.read(
        "Assignment",
        "SELECT * FROM assignment_of_hit WHERE mturk_assignment_id = ? AND requester = ?"
        " AND seen_from <= ?",
        assignment_id, requester, moment.now,
    )  # fmt: skip


def _describe(row: sqlite3.Row) -> Fields:
    described = {
        "AssignmentId": row["mturk_assignment_id"],
        "WorkerId": row["worker_id"],
        "HITId": row["hit_id"],
        "AssignmentStatus": row["state"].capitalize(),
        "Answer": row["answer"],
    }
    for name, column in INSTANTS.items():
        if row[column] is not None:
            described[name] = read_instant(row[column])
    if row["feedback"] is not None:
        described["RequesterFeedback"] = row["feedback"]
    return described


def approve_assignment(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Approve and pay a submission; with OverrideRejection also a rejected one."""
    assignment = _read_assignment(moment, requester, arguments["AssignmentId"])
    if assignment["state"] == "rejected" and arguments.get("OverrideRejection"):
        _refuse_late_override(moment, assignment)
        refuse_overdraft(moment, requester, assignment["reward_cents"] + assignment["fee_cents"])
    elif assignment["state"] != "submitted":
        raise _wrong_state(assignment)
    settle_payment(moment, assignment, moment.now, arguments.get("RequesterFeedback"))
    return {}


def _refuse_late_override(moment: Moment, assignment: sqlite3.Row) -> None:
    is_late = moment.now > assignment["rejected_at"] + OVERRIDE_SECONDS
    if is_late or assignment["stage"] == "disposed":
        raise Refused(
            "A rejection can be overridden for 30 days, until the HIT is deleted.",
            "InvalidAssignmentState",
        )


def settle_payment(
    moment: Moment, assignment: sqlite3.Row, approved_at: float, feedback: str | None = None
) -> None:
    """Approve a submission and charge reward and fee to the requester."""
    charge(moment, assignment["requester"], assignment["reward_cents"] + assignment["fee_cents"])
    moment.store.write(
        "UPDATE assignment SET state = 'approved', approved_at = ?, rejected_at = NULL,"
        " feedback = coalesce(?, feedback) WHERE serial = ?",
        approved_at, feedback, assignment["serial"],
    )  # fmt: skip


def reject_assignment(moment: Moment, requester: str, arguments: Fields) -> Fields:
    if not arguments["RequesterFeedback"].strip():
        raise Invalid("RequesterFeedback is empty.")
    assignment = _read_assignment(moment, requester, arguments["AssignmentId"])
    if assignment["state"] != "submitted":
        raise _wrong_state(assignment)
    moment.store.write(
        "UPDATE assignment SET state = 'rejected', rejected_at = ?, feedback = ?"
        " WHERE serial = ?",
        moment.now, arguments["RequesterFeedback"], assignment["serial"],
    )  # fmt: skip
    return {}


def _wrong_state(assignment: sqlite3.Row) -> Refused:
    state = assignment["state"].capitalize()
    return Refused(
        f"This can be done to an assignment that is Submitted, not {state}.",
        "InvalidAssignmentState",
    )


def send_bonus(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Pay a worker a bonus for an assignment, once per token."""
    token = arguments.get("UniqueRequestToken")
    moment.refuse_used(requester, "SendBonus", token)
    amount = read_cents(arguments["BonusAmount"])
    if not 1 <= amount <= MOST_BONUS_CENTS:
        raise invalid_parameter("BonusAmount is not between 0.01 and 10000.00.")
    if not arguments["Reason"].strip():
        raise invalid_parameter("Reason is empty.")
    assignment_id, worker_id = arguments["AssignmentId"], arguments["WorkerId"]
    assignment = _read_assignment(moment, requester, assignment_id)
    if assignment["worker_id"] != worker_id:
        raise invalid_parameter(f"Worker {worker_id} did not do assignment {assignment_id}.")
    if moment.now > assignment["submitted_at"] + BONUS_SECONDS:
        raise invalid_parameter(f"Assignment {assignment_id} is too old for a bonus.")
    fee = bonus_fee_cents(amount)
    refuse_overdraft(moment, requester, amount + fee)
    charge(moment, requester, amount + fee)
    moment.store.insert(
        "bonus",
        requester=requester,
        hit_id=assignment["hit_id"],
        mturk_assignment_id=assignment_id,
        worker_id=worker_id,
        amount_cents=amount,
        fee_cents=fee,
        reason=arguments["Reason"],
        granted_at=moment.now,
    )
    moment.use(requester, "SendBonus", token)
    return {}


def list_bonus_payments(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return the bonuses of a HIT or of an assignment."""
    hit_id, assignment_id = arguments.get("HITId"), arguments.get("AssignmentId")
    if (hit_id is None) == (assignment_id is None):
        raise invalid_parameter("Either HITId or AssignmentId is needed, and not both.")
    rows, paging = read_page(
        moment, "ListBonusPayments", arguments,
        "SELECT * FROM bonus WHERE requester = ? AND (hit_id = ? OR mturk_assignment_id = ?)",
        requester, hit_id, assignment_id,
    )  # fmt: skip
    payments = [
        {
            "WorkerId": row["worker_id"],
            "BonusAmount": write_dollars(row["amount_cents"]),
            "AssignmentId": row["mturk_assignment_id"],
            "Reason": row["reason"],
            "GrantTime": read_instant(row["granted_at"]),
        }
        for row in rows
    ]
    return {"BonusPayments": payments, **paging}
