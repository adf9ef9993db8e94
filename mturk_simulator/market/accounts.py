"""Accounts of requesters: balance and money on hold."""

from mturk_simulator.market.money import write_dollars
from mturk_simulator.market.store import Fields, Moment
from mturk_simulator.refusals import Refused

FIRST_BALANCE_CENTS = 1_000_000


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
