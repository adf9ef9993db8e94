"""Lists in pages, as the service hands them out."""

import base64
import binascii
import sqlite3
from enum import StrEnum
from typing import Any

from surveys.rehearsal.simulator.refusals import invalid_parameter
from surveys.rehearsal.simulator.store import Moment

USUAL_PAGE = 10
SETTING = "next_token"


class NextToken(StrEnum):
    """When a page comes with a token for the next one."""

    ALWAYS = "always"  # on every page that is not empty, the last one too
    WHEN_MORE = "when_more"


def read_page(
    moment: Moment, operation: str, arguments: dict[str, Any], statement: str, *values: Any
) -> tuple[list[sqlite3.Row], dict[str, Any]]:
    """The rows of the page that is asked for, and what the answer says of it.

    The statement ends in its conditions; its rows have a serial number.
    """
    size = arguments.get("MaxResults", USUAL_PAGE)
    after = _read_token(operation, arguments.get("NextToken"))
    ordered = f"{statement} AND serial > ? ORDER BY serial LIMIT ?"
    found = moment.store.rows(ordered, *values, after, size + 1)
    rows = found[:size]
    said: dict[str, Any] = {"NumResults": len(rows)}
    mode = moment.store.setting(SETTING, NextToken.ALWAYS)
    if rows and (mode == NextToken.ALWAYS or len(found) > size):
        said["NextToken"] = _write_token(operation, rows[-1]["serial"])
    return rows, said


def _write_token(operation: str, serial: int) -> str:
    return base64.urlsafe_b64encode(f"{operation} {serial}".encode()).decode()


def _read_token(operation: str, token: str | None) -> int:
    if token is None:
        return 0
    try:
        named, _, serial = base64.urlsafe_b64decode(token).decode().partition(" ")
        if named == operation:
            return int(serial)
    except (binascii.Error, ValueError):  # falls through to what is said of any other wrong one
        pass
    raise invalid_parameter(f"NextToken is none that {operation} has given.")
