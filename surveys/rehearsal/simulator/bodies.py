"""JSON in the bodies of requests."""

import json
from typing import Any

MOST_NESTED = 20  # lists and objects within one another; the service's own have five


def read_json(body: bytes) -> Any:
    """Return what a body holds, an empty one an empty object. Raises ValueError.

    More than `MOST_NESTED` lists and objects within one another are refused, since whatever checks
    or writes them may call itself once a level.
    """
    try:
        content = json.loads(body or b"{}")
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    level = [content]
    for _ in range(MOST_NESTED + 1):
        level = [part for whole in level for part in _list_parts(whole)]
        if not level:
            return content
    raise ValueError("the JSON is nested too deeply")


def _list_parts(whole: Any) -> list[Any]:
    """The parts of a list or object that may have parts themselves."""
    parts = whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()
    return [part for part in parts if isinstance(part, dict | list)]
