"""What somebody sends → what the site can work with: queries, numbers, JSON."""

import json
from typing import Any

LONGEST_QUERY = 200
MOST_NESTED = 20  # lists and objects within one another; the API's own have four
TOO_DEEP = f"more than {MOST_NESTED} lists or objects within one another"
LARGEST = 2**63 - 1  # of what any column of ours holds


def read_query(text: str) -> str:
    """What is looked for: trimmed, cut, without null characters, which PostgreSQL refuses."""
    return text.replace("\0", "").strip()[:LONGEST_QUERY]


def read_number(text: str, largest: int = LARGEST) -> int | None:
    """The whole number that stands there in digits; None for anything else, or if it is larger."""
    if not text.isdecimal() or len(text) > len(str(largest)):  # int() refuses thousands of digits
        return None
    number = int(text)
    return number if number <= largest else None


class UnreadableJson(ValueError):
    """A body that is no JSON, or none that is read here; the message says why."""


def read_json(body: bytes) -> Any:
    """Return what a body of JSON in UTF-8 holds. Raises UnreadableJson.

    More than `MOST_NESTED` lists and objects within one another are refused: whatever is done
    with them afterwards, from checking to writing, may call itself once a level.
    """
    try:
        content = json.loads(body.decode(), parse_constant=_refuse_constant)
    except RecursionError as error:
        raise UnreadableJson(TOO_DEEP) from error
    except ValueError as error:  # no UTF-8, no JSON, or a number of thousands of digits
        raise UnreadableJson(str(error)) from error
    level = [content]
    for _ in range(MOST_NESTED + 1):
        level = [part for whole in level for part in _list_parts(whole)]
        if not level:
            return content
    raise UnreadableJson(TOO_DEEP)


def _list_parts(whole: Any) -> list[Any]:
    """The parts of a list or object that may have parts themselves."""
    parts = whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()
    return [part for part in parts if isinstance(part, dict | list)]


def _refuse_constant(name: str) -> None:
    raise UnreadableJson(f"{name} is no number in JSON")
