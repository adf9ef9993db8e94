"""Validation of query parameters, numbers and JSON from requests."""

import json
from typing import Any

MAX_QUERY_LENGTH = 200
MAX_NESTING = 20  # lists and objects within one another; the API's own have four
TOO_DEEP = f"more than {MAX_NESTING} lists or objects within one another"
LARGEST = 2**63 - 1  # the maximum of our integer columns


def read_query(text: str) -> str:
    """Return a search text: trimmed, cut, without null characters, which PostgreSQL refuses."""
    return text.replace("\0", "").strip()[:MAX_QUERY_LENGTH]


def read_number(text: str, largest: int = LARGEST) -> int | None:
    """Return the whole number in a text of digits; None for anything else or a larger number."""
    if not text.isdecimal() or len(text) > len(str(largest)):  # int() refuses thousands of digits
        return None
    number = int(text)
    return number if number <= largest else None


class UnreadableJson(ValueError):
    """A body that is not valid JSON, or not accepted here; the message gives the reason."""


def read_json(body: bytes) -> Any:
    """Return the content of a JSON body in UTF-8. Raises UnreadableJson.

    More than `MAX_NESTING` levels are refused: later steps, from validation to serialisation, may
    recurse once a level.
    """
    try:
        content = json.loads(body.decode(), parse_constant=_refuse_constant)
    except RecursionError as error:
        raise UnreadableJson(TOO_DEEP) from error
    except ValueError as error:  # no UTF-8, no JSON, or a number of thousands of digits
        raise UnreadableJson(str(error)) from error
    level = [content]
    for _ in range(MAX_NESTING + 1):
        level = [part for whole in level for part in _list_parts(whole)]
        if not level:
            return content
    raise UnreadableJson(TOO_DEEP)


def _list_parts(whole: Any) -> list[Any]:
    """Return the parts of a list or object that may have parts themselves."""
    parts = whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()
    return [part for part in parts if isinstance(part, dict | list)]


def _refuse_constant(name: str) -> None:
    raise UnreadableJson(f"{name} is not a number in JSON")
