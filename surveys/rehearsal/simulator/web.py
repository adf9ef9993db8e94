"""A request and its answer, without the server around them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from surveys.rehearsal.simulator.bodies import read_json

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
HTML = "text/html; charset=utf-8"


class NotUnderstood(Exception):
    """A request that no page can be given for; the message says why."""


@dataclass(frozen=True)
class Request:
    """What was asked for. Names of headers are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    origin: str  # the simulator's own address
    platform: str = ""  # where the site is whose tasks these are

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def is_json(self) -> bool:
        """Whether a program asks."""
        return self.media_type == JSON or JSON in self.headers.get("accept", "")

    def fields(self) -> list[tuple[str, str]]:
        """The fields of the query and of the form. Raises NotUnderstood."""
        if self.body and self.media_type != FORM:
            raise NotUnderstood(f"The form came as {self.media_type or 'nothing'}, not as {FORM}.")
        try:
            texts = (self.query, self.body.decode())
            return [pair for text in texts for pair in parse_qsl(text, keep_blank_values=True)]
        except ValueError as error:
            raise NotUnderstood("The form is not UTF-8, or has too many fields.") from error

    def values(self) -> dict[str, Any]:
        """What a program or a person sends. Raises NotUnderstood."""
        if self.media_type != JSON:
            return dict(self.fields())
        try:
            values = read_json(self.body)
        except ValueError as error:
            raise NotUnderstood("The body is not JSON.") from error
        if not isinstance(values, dict):
            raise NotUnderstood("The body is not a JSON object.")
        return values


@dataclass(frozen=True)
class Reply:
    """What is answered; or nothing, when the connection is to end instead."""

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
