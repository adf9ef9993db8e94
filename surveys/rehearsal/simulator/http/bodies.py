"""JSON in the bodies of requests."""

import json
from typing import Any

MAX_NESTED = 20  # levels of lists and objects; the service's own requests have five


def read_json(body: bytes) -> Any:
    """Return the content of a body, an empty object for an empty one. Raises ValueError.

    More than `MAX_NESTED` levels are refused, since code that checks or writes them recurses.
    """
    try:
        content = json.loads(body or b"{}")
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    level = [content]
    for _ in range(MAX_NESTED + 1):
        level = [part for whole in level for part in _list_parts(whole)]
        if not level:
            return content
    raise ValueError("the JSON is nested too deeply")


def _list_parts(whole: Any) -> list[Any]:
    """Return the lists and objects directly inside a list or object."""
    parts = whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()
    return [part for part in parts if isinstance(part, dict | list)]
