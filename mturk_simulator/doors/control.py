"""The control of the simulator, for people and programs that have its token.

The token keeps out requesters, workers, other pages in a browser of this machine, and programs
that can send requests through the site.
"""

import hmac
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from mturk_simulator.faults import (
    SUBMISSION,
    Fault,
    FaultKind,
    list_counts,
    list_faults,
    queue_fault,
)
from mturk_simulator.http.messages import JSON, Reply, Request, redirect, reply_json
from mturk_simulator.http.screens import render
from mturk_simulator.market import accounts, people
from mturk_simulator.market.market import OPERATIONS, STOPPED, Market
from mturk_simulator.market.money import read_cents
from mturk_simulator.market.store import InvalidSnapshot, Moment
from mturk_simulator.market.work import REUSE
from mturk_simulator.operations.paging import SETTING as NEXT_TOKEN
from mturk_simulator.operations.paging import NextToken
from mturk_simulator.refusals import PageRefused

AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,2})?")
FAR_SECONDS = 10 * 365 * 24 * 3600
KINDS = {
    FaultKind.FAIL: "nothing is done, and 500 says so",
    FaultKind.DONE_THEN_FAIL: "it is done, and 500 denies it",
    FaultKind.DONE_THEN_CUT: "it is done, and the connection is cut",
    FaultKind.THROTTLE: "it comes too fast, and nothing is done",
    FaultKind.SLOW: "it is done, and the answer comes late",
    FaultKind.UNSEEN: "a submission stays unseen for a while",
}
Member = TypeVar("Member", bound=StrEnum)
Change = Callable[[Market, dict[str, Any]], None]


def answer(market: Market, request: Request, token: str) -> Reply:
    """Show the state, or change it, for requests that carry the token."""
    path = request.path
    if not hmac.compare_digest(_read_token(request).encode(), token.encode()):
        return _ask_for_token(request)
    if request.method == "GET" and path in SHOWN:
        return SHOWN[path](market, request, token)
    if request.method == "POST" and path in CHANGES:
        CHANGES[path](market, request.values())
        return reply_json({}) if request.is_json else redirect(f"/control/?token={token}")
    raise PageRefused("There is no such page.", status=404)


def _read_token(request: Request) -> str:
    """Return the token of a request from a header, the query or a form."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return "" if request.media_type == JSON else dict(request.fields()).get("token", "")


def _ask_for_token(request: Request) -> Reply:
    if request.is_json:
        return reply_json({"error": "The control needs its token, as Authorization: Bearer."}, 403)
    return render("token.html", status=403)


def _describe(moment: Moment) -> dict[str, Any]:
    """Return the state that the page shows and programs read."""
    requesters = moment.store.rows("SELECT access_key FROM requester ORDER BY access_key")
    counted = moment.store.rows("SELECT state, count(*) AS n FROM assignment GROUP BY state")
    return {
        "now": moment.now,
        "is_stopped": moment.store.setting(STOPPED, None) is not None,
        "next_token": moment.store.setting(NEXT_TOKEN, NextToken.ALWAYS),
        "reuse_ids": moment.store.setting(REUSE, True),
        "counts": list_counts(moment),
        "faults": list_faults(moment),
        "requesters": {
            row["access_key"]: accounts.get_account_balance(moment, row["access_key"], {})
            for row in requesters
        },
        "n_workers": moment.store.number("SELECT count(*) FROM worker"),
        "n_hits": moment.store.number("SELECT count(*) FROM hit"),
        "n_assignments": {row["state"]: row["n"] for row in counted},
    }


def _show_state(market: Market, request: Request, token: str) -> Reply:
    with market.moment() as moment:
        state = _describe(moment)
    if request.is_json:
        return reply_json(state)
    operations = sorted([*OPERATIONS, SUBMISSION])
    return render("control.html", **state, operations=operations, kinds=KINDS, token=token)


def _show_outbox(market: Market, request: Request, token: str) -> Reply:
    """Show the messages that would have been mailed, the latest first."""
    with market.moment() as moment:
        messages = people.list_messages(moment)
    if request.is_json:
        return reply_json(messages)
    return render("outbox.html", messages=messages, token=token)


def _show_snapshot(market: Market, request: Request, token: str) -> Reply:
    return reply_json(market.snapshot())


def _restore(market: Market, values: dict[str, Any]) -> None:
    try:
        market.restore(values)
    except InvalidSnapshot as error:
        raise PageRefused(str(error)) from error


def _reset(market: Market, values: dict[str, Any]) -> None:
    market.restore({})


def _move_clock(market: Market, values: dict[str, Any]) -> None:
    if "is_stopped" in values:
        market.stop_clock() if _read_choice(values, "is_stopped") else market.start_clock()
    market.advance(_read_number(values, "seconds", 0, FAR_SECONDS))


def _set_balance(market: Market, values: dict[str, Any]) -> None:
    """Set a requester's balance, including what is on hold."""
    requester, amount = str(values.get("requester", "")), str(values.get("amount", ""))
    if not requester or not AMOUNT.fullmatch(amount):
        raise PageRefused("It needs a requester, and an amount such as 12.50.")
    with market.moment() as moment:
        accounts.set_balance(moment, requester, read_cents(amount))


def _queue_fault(market: Market, values: dict[str, Any]) -> None:
    operation = str(values.get("operation", ""))
    if operation not in {*OPERATIONS, SUBMISSION}:
        raise PageRefused("It needs an operation that is simulated.")
    kind = _read_member(FaultKind, values, "kind")
    if kind == FaultKind.UNSEEN and operation != SUBMISSION:
        raise PageRefused(f"Only {SUBMISSION} can be unseen.")
    seconds = _read_number(values, "seconds", 0, FAR_SECONDS)
    n_calls = int(_read_number(values, "n_calls", 1, 1_000_000))
    with market.moment() as moment:
        queue_fault(moment, operation, Fault(kind, seconds), n_calls)


def _clear_faults(market: Market, values: dict[str, Any]) -> None:
    with market.moment() as moment:
        moment.store.write("DELETE FROM fault")


def _clear_counts(market: Market, values: dict[str, Any]) -> None:
    with market.moment() as moment:
        moment.store.write("DELETE FROM request_count")


def _change_settings(market: Market, values: dict[str, Any]) -> None:
    with market.moment() as moment:
        if "next_token" in values:
            moment.store.set(NEXT_TOKEN, _read_member(NextToken, values, "next_token"))
        if "reuse_ids" in values:
            moment.store.set(REUSE, _read_choice(values, "reuse_ids"))


def _read_member(kind: type[Member], values: dict[str, Any], name: str) -> Member:
    try:
        return kind(values.get(name, ""))
    except ValueError as error:
        raise PageRefused(f"{name} is one of {', '.join(kind)}.") from error


def _read_choice(values: dict[str, Any], name: str) -> bool:
    choices = {"True": True, "False": False, "yes": True, "no": False}
    if (chosen := choices.get(str(values[name]))) is None:
        raise PageRefused(f"{name} is true or false; in a form, yes or no.")
    return chosen


def _read_number(values: dict[str, Any], name: str, least: float, most: float) -> float:
    try:
        number = float(values.get(name) or least)
    except (TypeError, ValueError) as error:
        raise PageRefused(f"{name} is a number.") from error
    if not least <= number <= most:
        raise PageRefused(f"{name} is not between {least:g} and {most:g}.")
    return number


SHOWN: dict[str, Callable[[Market, Request, str], Reply]] = {
    "/control/": _show_state,
    "/control/outbox/": _show_outbox,
    "/control/snapshot/": _show_snapshot,
}
CHANGES: dict[str, Change] = {
    "/control/balance/": _set_balance,
    "/control/clock/": _move_clock,
    "/control/counts/clear/": _clear_counts,
    "/control/faults/": _queue_fault,
    "/control/faults/clear/": _clear_faults,
    "/control/reset/": _reset,
    "/control/restore/": _restore,
    "/control/settings/": _change_settings,
}
