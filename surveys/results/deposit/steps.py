"""The requests of a deposit: shown before anything is sent, and sent as they are shown."""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from surveys.results.deposit.repositories import Repository

LONGEST_SHOWN = 200  # characters of a text in the body of a request that is shown
JSON = "application/json"


@dataclass(frozen=True)
class Content:
    """A file that is sent."""

    name: str
    data: bytes = field(repr=False)

    @property
    def size(self) -> int:
        return len(self.data)

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def md5(self) -> str:
        """The checksum with which repositories confirm that a file has arrived."""
        return hashlib.md5(self.data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Step:
    """A request. Names in braces in its URL are known only once an earlier request is answered.

    `body` is sent as JSON, `lines` as one JSON line each, `content` as it is. `when` says on what
    it depends whether the request is sent; it is empty for one that always is.
    """

    purpose: str
    method: str
    url: str
    when: str = ""
    body: Any = None
    lines: tuple[Any, ...] = ()
    content: Content | None = None
    headers: dict[str, str] = field(default_factory=dict)
    has_token: bool = True

    def list_headers(self, token: str) -> dict[str, str]:
        """Return the headers, with a token or the text that replaces it."""
        authorization = {"Authorization": f"Bearer {token}"} if self.has_token else {}
        return {"User-Agent": "Cosima", **authorization, **self.headers}

    def show_headers(self, repository: Repository) -> dict[str, str]:
        """Return the headers with the name of the setting in place of the token."""
        return self.list_headers(f"({repository.token_name})")

    def show_body(self) -> str:
        """Return the JSON with the sizes of encoded files in their place; "" for none."""
        if self.lines:
            return "\n".join(json.dumps(_cut(line), ensure_ascii=False) for line in self.lines)
        return (
            "" if self.body is None else json.dumps(_cut(self.body), indent=2, ensure_ascii=False)
        )


def _cut(tree: Any) -> Any:
    """Return a JSON tree whose encoded files are replaced by their sizes."""
    if isinstance(tree, dict):
        return {name: _cut(part) for name, part in tree.items()}
    if isinstance(tree, list):
        return [_cut(part) for part in tree]
    if isinstance(tree, str) and len(tree) > LONGEST_SHOWN and " " not in tree:
        return f"({len(tree):,} characters)"
    return tree


def render_steps(steps: list[Step], repository: Repository) -> str:
    """Return requests as numbered text, in the order of sending."""
    return "\n\n".join(
        "\n".join(_render(number, step, repository)) for number, step in enumerate(steps, 1)
    )


def _render(number: int, step: Step, repository: Repository) -> list[str]:
    lines = [f"{number}. {step.purpose}{f' ({step.when})' if step.when else ''}"]
    lines.append(f"{step.method} {step.url}")
    lines += [f"{name}: {value}" for name, value in step.show_headers(repository).items()]
    if body := step.show_body():
        lines += ["", body]
    if content := step.content:
        lines += ["", f"{content.name}, {content.size:,} bytes, SHA-256 {content.sha256}"]
    return lines
