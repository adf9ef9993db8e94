"""Paging of lists, as the service does it."""

import base64
import binascii
import sqlite3
from enum import StrEnum
from typing import Any

from mturk_simulator.market.store import Fields, Moment
from mturk_simulator.refusals import invalid_parameter

USUAL_PAGE = 10
SETTING = "next_token"


class NextToken(StrEnum):
    """When a page has a token for the next page."""

    ALWAYS = "always"  # on every page that is not empty, even the last
    WHEN_MORE = "when_more"


def read_page(
    moment: Moment, operation: str, arguments: Fields, statement: str, *values: Any
) -> tuple[list[sqlite3.Row], Fields]:
    """Return the rows of the requested page, and the paging fields of the answer.

    The statement ends with its conditions; its rows have a serial number.
    """
    size = arguments.get("MaxResults", USUAL_PAGE)
    after = _read_token(operation, arguments.get("NextToken"))
    ordered = f"{statement} AND serial > ? ORDER BY serial LIMIT ?"
    following = moment.store.rows(ordered, *values, after, size + 1)
    rows = following[:size]
    paging: Fields = {"NumResults": len(rows)}
    mode = moment.store.setting(SETTING, NextToken.ALWAYS)
    if rows and (mode == NextToken.ALWAYS or len(following) > size):
        paging["NextToken"] = _write_token(operation, rows[-1]["serial"])
    return rows, paging


def _write_token(operation: str, serial: int) -> str:
    return base64.urlsafe_b64encode(f"{operation} {serial}".encode()).decode()


def _read_token(operation: str, token: str | None) -> int:
    if token is None:
        return 0
    try:
        named, _, serial = base64.urlsafe_b64decode(token).decode().partition(" ")
        if named == operation:
            return int(serial)
    except (binascii.Error, ValueError):  # falls through to the error for any wrong token
        pass
    raise invalid_parameter(f"NextToken was not given by {operation}.")
