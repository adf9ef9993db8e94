"""The simulator as people use it, for programs: its workers, one by one, and its control.

By HTTP alone, as a browser would, so that what it shows to people is what is tried.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from urllib.parse import urljoin

import httpx
import lxml.html

PATIENCE_SECONDS = 30


class CrowdRefused(Exception):
    """What the simulator said instead of doing what was asked, with the status it said it by."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.message, self.status = message, status


class Group(NamedTuple):
    """Tasks of one kind that a worker sees; places are those open to them."""

    group_id: str
    title: str
    n_places: int
    may_accept: bool


class HeldTask(NamedTuple):
    """A task that a worker has accepted, and the address that their frame shows."""

    mturk_assignment_id: str
    address: str


def open_browser() -> httpx.Client:
    """A client that asks nobody but whom it is told to."""
    return httpx.Client(timeout=PATIENCE_SECONDS, trust_env=False, follow_redirects=True)


@dataclass(frozen=True)
class CrowdWorker:
    """A worker of the simulator at a base address. Every method raises CrowdRefused."""

    base_url: str
    worker_id: str
    browser: httpx.Client

    @classmethod
    def join(cls, base_url: str, browser: httpx.Client, **profile: Any) -> Self:
        """A new worker: worker_id, country, subdivision, approval_rate, n_approved, is_adult,
        is_master, where they are not the usual ones.
        """
        usual = {"n_approved": 1_000, "is_adult": True}
        answer = browser.post(f"{base_url}/workers/", json={**usual, **profile})
        _refuse_fault(answer)
        return cls(base_url, answer.url.path.split("/")[2], browser)

    def list_groups(self) -> list[Group]:
        """The tasks that this worker sees."""
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
        """The address that the frame of a task shows before it is accepted."""
        return _framed_address(self._get(f"groups/{group_id}/"))

    def accept(self, group_id: str) -> HeldTask:
        """Take a place of the first task of a group that is open to this worker."""
        answer = self._post(f"groups/{group_id}/accept/")
        address = _framed_address(lxml.html.fromstring(answer.text))
        return HeldTask(answer.url.path.rstrip("/").rpartition("/")[2], address)

    def return_task(self, mturk_assignment_id: str) -> None:
        self._post(f"work/{mturk_assignment_id}/return/")

    def submit(self, mturk_assignment_id: str, answers: Mapping[str, str]) -> None:
        """Send what the form of the task's last page would send."""
        submit_task(self.base_url, mturk_assignment_id, answers, self.browser)

    def list_history(self) -> list[tuple[str, str]]:
        """The ids and states of all that was ever accepted, the latest first."""
        cards = self._get("history/").xpath("//*[@data-assignment-id]")
        states = "string(.//dt[.='State']/following-sibling::dd)"
        return [(card.get("data-assignment-id", ""), card.xpath(states)) for card in cards]

    def request_qualification(self, qualification_type_id: str) -> None:
        self._post(f"qualifications/{qualification_type_id}/")

    def _get(self, path: str) -> lxml.html.HtmlElement:
        answer = self.browser.get(self._address(path))
        _refuse_fault(answer)
        return lxml.html.fromstring(answer.text)

    def _post(self, path: str) -> httpx.Response:
        answer = self.browser.post(self._address(path))
        _refuse_fault(answer)
        return answer

    def _address(self, path: str) -> str:
        return urljoin(f"{self.base_url}/workers/{self.worker_id}/", path)


def submit_task(
    submit_to: str, mturk_assignment_id: str, answers: Mapping[str, str], browser: httpx.Client
) -> None:
    """Send a task in, as a form in a sandboxed frame is sent. Raises CrowdRefused."""
    answer = browser.post(
        f"{submit_to.rstrip('/')}/mturk/externalSubmit",
        data={"assignmentId": mturk_assignment_id, **answers},
        headers={"Origin": "null"},
    )
    _refuse_fault(answer)


def _refuse_fault(answer: httpx.Response) -> None:
    if answer.is_success:
        return
    if answer.headers["content-type"] == "application/json":
        raise CrowdRefused(answer.json()["error"], answer.status_code)
    said = lxml.html.fromstring(answer.text).xpath("string(//*[@role='alert'])")
    raise CrowdRefused(str(said), answer.status_code)


def _framed_address(page: lxml.html.HtmlElement) -> str:
    return str(page.xpath("string(//iframe/@src)"))


@dataclass(frozen=True)
class SimulatorControl:
    """The control of the simulator at a base address. Every method raises CrowdRefused."""

    base_url: str
    browser: httpx.Client
    token: str

    def state(self) -> dict[str, Any]:
        """Clock (`now`), settings, queued faults, accounts, and how much there is of all."""
        return dict(self._get(""))

    def counts(self) -> dict[str, int]:
        """How many requests each operation has had; a worker's submission is `externalSubmit`."""
        return dict(self.state()["counts"])

    def clear_counts(self) -> None:
        self._post("counts/clear/")

    def outbox(self) -> list[dict[str, Any]]:
        """What would have been mailed, the latest first."""
        return list(self._get("outbox/"))

    def snapshot(self) -> dict[str, Any]:
        """Everything, as `restore` takes it."""
        return dict(self._get("snapshot/"))

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        self._post("restore/", **snapshot)

    def reset(self) -> None:
        """Let it forget everything; its clock runs again."""
        self._post("reset/")

    def advance(self, seconds: float) -> None:
        """Move the clock on; what falls due happens."""
        self._post("clock/", seconds=seconds)

    def stop_clock(self) -> None:
        """Let time pass by `advance` alone."""
        self._post("clock/", is_stopped=True)

    def set_balance(self, requester: str, amount: str) -> None:
        """Give an access key so many dollars in all, what is on hold included."""
        self._post("balance/", requester=requester, amount=amount)

    def queue_fault(
        self, operation: str, kind: str, *, n_calls: int = 1, seconds: float = 0
    ) -> None:
        """Let the next calls go wrong: fail, done_then_fail, done_then_cut, throttle, slow; or
        unseen, of `externalSubmit`.
        """
        self._post("faults/", operation=operation, kind=kind, n_calls=n_calls, seconds=seconds)

    def clear_faults(self) -> None:
        self._post("faults/clear/")

    def change_settings(self, **settings: Any) -> None:
        """Change next_token (always, when_more) or reuse_ids (True, False)."""
        self._post("settings/", **settings)

    def _get(self, path: str) -> Any:
        answer = self.browser.get(
            f"{self.base_url}/control/{path}",
            headers={"Accept": "application/json", **self._headers()},
        )
        _refuse_fault(answer)
        return answer.json()

    def _post(self, path: str, **values: Any) -> None:
        address, headers = f"{self.base_url}/control/{path}", self._headers()
        _refuse_fault(self.browser.post(address, json=values, headers=headers))

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}
