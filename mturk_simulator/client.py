"""Client for the simulator's worker site: over HTTP, as a browser, so that its pages are tested."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any, NamedTuple, Self
from urllib.parse import urljoin

import httpx
import lxml.html

PATIENCE_SECONDS = 30


class CrowdRefused(Exception):
    """A refusal by the simulator: its message and HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.message, self.status = message, status


class Group(NamedTuple):
    """A group of tasks of one kind that a worker sees, with the places open to them."""

    group_id: str
    title: str
    n_places: int
    may_accept: bool


class HeldTask(NamedTuple):
    """A task that a worker has accepted, and the URL in its frame."""

    mturk_assignment_id: str
    address: str


def open_browser() -> httpx.Client:
    """Return an HTTP client that follows redirects and ignores the proxies of the environment."""
    return httpx.Client(
        follow_redirects=True, timeout=PATIENCE_SECONDS, trust_env=False, verify=_certificates()
    )


@cache
def _certificates() -> SSLContext:
    """Return the trusted certificates, read once: it takes longer than many requests."""
    return httpx.create_ssl_context(trust_env=False)


@dataclass(frozen=True)
class CrowdWorker:
    """A worker of the simulator at a base URL. Every method may raise CrowdRefused."""

    base_url: str
    worker_id: str
    browser: httpx.Client

    @classmethod
    def join(cls, base_url: str, browser: httpx.Client, **profile: Any) -> Self:
        """Create a worker with a profile: worker_id, country, subdivision, approval_rate,
        n_approved, is_adult, is_master.
        """
        defaults = {"n_approved": 1_000, "is_adult": True}
        answer = browser.post(f"{base_url}/workers/", json={**defaults, **profile})
        refuse_fault(answer)
        return cls(base_url, answer.url.path.split("/")[2], browser)

    def list_groups(self) -> list[Group]:
        """Return the groups of tasks that this worker sees."""
        page = self._get("")
        return [
            Group(
                card.get("data-group-id", ""),
                str(card.xpath("string(h2)")),
                int(card.get("data-places", "0")),
                bool(card.xpath(".//form")),
            )
            for card in page.xpath("//*[@data-group-id]")
        ]

    def preview(self, group_id: str) -> str:
        """Return the URL in the frame of a task before it is accepted."""
        return _framed_address(self._get(f"groups/{group_id}/"))

    def accept(self, group_id: str) -> HeldTask:
        """Accept the first task of a group that is open to this worker."""
        answer = self._post(f"groups/{group_id}/accept/")
        address = _framed_address(lxml.html.fromstring(answer.text))
        return HeldTask(answer.url.path.rstrip("/").rpartition("/")[2], address)

    def return_task(self, mturk_assignment_id: str) -> None:
        self._post(f"work/{mturk_assignment_id}/return/")

    def _get(self, path: str) -> lxml.html.HtmlElement:
        answer = self.browser.get(self._address(path))
        refuse_fault(answer)
        return lxml.html.fromstring(answer.text)

    def _post(self, path: str) -> httpx.Response:
        answer = self.browser.post(self._address(path))
        refuse_fault(answer)
        return answer

    def _address(self, path: str) -> str:
        return urljoin(f"{self.base_url}/workers/{self.worker_id}/", path)


def submit_task(
    submit_to: str, mturk_assignment_id: str, answers: Mapping[str, str], browser: httpx.Client
) -> None:
    """Submit a task as a form in a sandboxed frame does. Raises CrowdRefused."""
    answer = browser.post(
        f"{submit_to.rstrip('/')}/mturk/externalSubmit",
        data={"assignmentId": mturk_assignment_id, **answers},
        headers={"Origin": "null"},
    )
    refuse_fault(answer)


def refuse_fault(answer: httpx.Response) -> None:
    if answer.is_success:
        return
    if answer.headers["content-type"] == "application/json":
        raise CrowdRefused(answer.json()["error"], answer.status_code)
    message = lxml.html.fromstring(answer.text).xpath("string(//*[@role='alert'])")
    raise CrowdRefused(str(message), answer.status_code)


def _framed_address(page: lxml.html.HtmlElement) -> str:
    return str(page.xpath("string(//iframe/@src)"))
