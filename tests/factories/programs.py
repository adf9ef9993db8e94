"""Programs that use the API with a token."""

import json
from typing import Any

from django.test import Client


class Program:
    """A program with a token, which sends JSON."""

    def __init__(self, key: str) -> None:
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.client = Client(headers=self.headers)

    def get(self, path: str, **parameters: Any) -> Any:
        return self.client.get(f"/api/v1/{path}", parameters)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        data = b"" if body is None else json.dumps(body)
        send = getattr(self.client, method.lower())
        kind = "application/json"
        return send(f"/api/v1/{path}", data, content_type=kind, headers=headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("post", path, body, **headers)


def errors_of(answer: Any) -> list[tuple[Any, ...]]:
    """What the errors of an answer are about."""
    return [tuple(error.values()) for error in answer.json()["errors"]]
