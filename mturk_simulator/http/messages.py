"""HTTP requests and replies, independent of the server."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from mturk_simulator.refusals import PageRefused

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
HTML = "text/html; charset=utf-8"
MAX_NESTED = 20  # levels of lists and objects; the service's own requests have five


@dataclass(frozen=True)
class Request:
    """An HTTP request. Names of headers are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    origin: str  # the simulator's own address
    platform: str = ""  # address of the site, for links to it

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def is_json(self) -> bool:
        """Return whether the request comes from a program, as JSON."""
        return self.media_type == JSON or JSON in self.headers.get("accept", "")

    def fields(self) -> list[tuple[str, str]]:
        """Return the fields of the query and of the form. Raises PageRefused."""
        if self.body and self.media_type != FORM:
            raise PageRefused(f"The form came as {self.media_type or 'nothing'}, not as {FORM}.")
        try:
            texts = (self.query, self.body.decode())
            return [pair for text in texts for pair in parse_qsl(text, keep_blank_values=True)]
        except ValueError as error:
            raise PageRefused("The form is not UTF-8, or has too many fields.") from error

    def values(self) -> dict[str, Any]:
        """Return the values of a JSON body or a form. Raises PageRefused."""
        if self.media_type != JSON:
            return dict(self.fields())
        try:
            values = read_json(self.body)
        except ValueError as error:
            raise PageRefused("The body is not JSON.") from error
        if not isinstance(values, dict):
            raise PageRefused("The body is not a JSON object.")
        return values


@dataclass(frozen=True)
class Reply:
    """An HTTP reply, or an order to cut the connection."""

    status: int = 200
    body: bytes = b""
    media_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False
    delay_seconds: float = 0


def redirect(path: str) -> Reply:
    return Reply(303, headers={"Location": path})


def reply_json(content: Any, status: int = 200) -> Reply:
    return Reply(status, json.dumps(content).encode(), JSON)


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
