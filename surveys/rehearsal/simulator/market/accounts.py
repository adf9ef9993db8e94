"""Accounts of requesters: balance, money on hold, bonuses."""

from surveys.rehearsal.simulator.instants import read_instant
from surveys.rehearsal.simulator.market.money import bonus_fee_cents, read_cents, write_dollars
from surveys.rehearsal.simulator.market.store import Fields, Moment
from surveys.rehearsal.simulator.operations.paging import read_page
from surveys.rehearsal.simulator.refusals import Refused, invalid_parameter, missing

FIRST_BALANCE_CENTS = 1_000_000
MOST_BONUS_CENTS = 1_000_000
BONUS_SECONDS = 180 * 24 * 3600


def open_account(moment: Moment, requester: str) -> None:
    """Create the account of a requester at the first request, with its initial balance."""
    moment.store.write(
        "INSERT OR IGNORE INTO requester VALUES (?, ?)", requester, FIRST_BALANCE_CENTS
    )


def balance_cents(moment: Moment, requester: str) -> int:
    """Return the balance of the account, including what is on hold."""
    statement = "SELECT balance_cents FROM requester WHERE access_key = ?"
    return moment.store.number(statement, requester)


def held_cents(moment: Moment, requester: str) -> int:
    """Return the money on hold for places that are open or not yet decided."""
    open_places = moment.store.number(
        "SELECT sum(n_available * (reward_cents + fee_cents)) FROM hit_with_places"
        " WHERE requester = ? AND stage != 'disposed' AND expires_at > ?",
        requester, moment.now,
    )  # fmt: skip
    undecided = moment.store.number(
        "SELECT sum(reward_cents + fee_cents) FROM assignment_of_hit"
        " WHERE requester = ? AND state IN ('accepted', 'submitted')",
        requester,
    )
    return open_places + undecided


def refuse_overdraft(moment: Moment, requester: str, cents: int = 0) -> None:
    """Raise Refused if the available balance does not cover a cost."""
    available = balance_cents(moment, requester) - held_cents(moment, requester)
    if available < cents:
        raise Refused(
            f"This account has insufficient funds: {write_dollars(available)} dollars are"
            " available.",
            "InsufficientFunds",
        )


def charge(moment: Moment, requester: str, cents: int) -> None:
    moment.store.write(
        "UPDATE requester SET balance_cents = balance_cents - ? WHERE access_key = ?",
        cents, requester,
    )  # fmt: skip


def set_balance(moment: Moment, requester: str, cents: int) -> None:
    """Set the balance of a requester, creating the account if needed."""
    open_account(moment, requester)
    moment.store.write(
        "UPDATE requester SET balance_cents = ? WHERE access_key = ?", cents, requester
    )


def get_account_balance(moment: Moment, requester: str, arguments: Fields) -> Fields:
    held = held_cents(moment, requester)
    return {
        "AvailableBalance": write_dollars(balance_cents(moment, requester) - held),
        "OnHoldBalance": write_dollars(held),
    }


def send_bonus(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Pay a worker a bonus for an assignment, once per token."""
    token = arguments.get("UniqueRequestToken")
    if token:
        moment.refuse_used(requester, "SendBonus", token)
    amount = read_cents(arguments["BonusAmount"])
    if not 1 <= amount <= MOST_BONUS_CENTS:
        raise invalid_parameter("BonusAmount is not between 0.01 and 10000.00.")
    if not arguments["Reason"].strip():
        raise invalid_parameter("Reason is empty.")
    assignment_id, worker_id = arguments["AssignmentId"], arguments["WorkerId"]
    assignment = moment.store.row(
        "SELECT * FROM assignment_of_hit WHERE mturk_assignment_id = ? AND requester = ?"
        " AND seen_from <= ?",
        assignment_id, requester, moment.now,
    )  # fmt: skip
    if assignment is None:
        raise missing("Assignment", assignment_id)
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
    if token:
        moment.use(requester, "SendBonus", token)
    return {}


def list_bonus_payments(moment: Moment, requester: str, arguments: Fields) -> Fields:
    """Return the bonuses of a HIT or of an assignment."""
    hit_id, assignment_id = arguments.get("HITId"), arguments.get("AssignmentId")
    if (hit_id is None) == (assignment_id is None):
        raise invalid_parameter("Either HITId or AssignmentId is needed, and not both.")
    rows, said = read_page(
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
    return {"BonusPayments": payments, **said}
