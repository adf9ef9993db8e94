"""The simulator on a free port, with clients for requesters, workers and its control."""

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from mturk_simulator.client import CrowdWorker, open_browser, refuse_fault, submit_task
from mturk_simulator.http.server import SimulatorServer
from mturk_simulator.http.wire import SECRET_KEY
from mturk_simulator.market.market import Market
from mturk_simulator.market.store import Store
from mturk_simulator.operations.questions import EXTERNAL_QUESTION

REQUESTER = "simulator"
TASK = "http://localhost:8000/mturk/enter/5a5a/?round=1&amp;of=2"


@functools.cache
def _session() -> boto3.session.Session:
    """Return a session shared by all tests: reading the service descriptions is slow."""
    return boto3.session.Session()


@functools.cache
def _browser() -> httpx.Client:
    return open_browser()


@dataclass(frozen=True)
class SimulatorControl:
    """The control of the simulator at a base URL. Every method may raise CrowdRefused."""

    base_url: str
    browser: httpx.Client
    token: str

    def state(self) -> dict[str, Any]:
        """Return clock (`now`), settings, queued faults, accounts and counts."""
        return dict(self._get(""))

    def counts(self) -> dict[str, int]:
        """Return the number of requests per operation; submissions are `externalSubmit`."""
        return dict(self.state()["counts"])

    def clear_counts(self) -> None:
        self._post("counts/clear/")

    def outbox(self) -> list[dict[str, Any]]:
        """Return the messages that would have been mailed, the latest first."""
        return list(self._get("outbox/"))

    def snapshot(self) -> dict[str, Any]:
        """Return the state for `restore`."""
        return dict(self._get("snapshot/"))

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        self._post("restore/", **snapshot)

    def reset(self) -> None:
        """Delete the state and start the clock."""
        self._post("reset/")

    def advance(self, seconds: float) -> None:
        """Advance the clock; what falls due happens."""
        self._post("clock/", seconds=seconds)

    def stop_clock(self) -> None:
        """Stop the clock; `advance` still moves it."""
        self._post("clock/", is_stopped=True)

    def set_balance(self, requester: str, amount: str) -> None:
        """Set the balance of an access key in dollars, including what is on hold."""
        self._post("balance/", requester=requester, amount=amount)

    def queue_fault(
        self, operation: str, kind: str, *, n_calls: int = 1, seconds: float = 0
    ) -> None:
        """Queue a fault: fail, done_then_fail, done_then_cut, throttle, slow, or unseen
        (of `externalSubmit`).
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
        refuse_fault(answer)
        return answer.json()

    def _post(self, path: str, **values: Any) -> None:
        address, headers = f"{self.base_url}/control/{path}", self._headers()
        refuse_fault(self.browser.post(address, json=values, headers=headers))

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


class Worker(CrowdWorker):
    """A worker of the simulator, who does by hand what scripted workers do not."""

    def submit(self, mturk_assignment_id: str, answers: Mapping[str, str]) -> None:
        """Submit a task as the form of its last page does."""
        submit_task(self.base_url, mturk_assignment_id, answers, self.browser)

    def list_history(self) -> list[tuple[str, str]]:
        """Return the ids and states of all accepted tasks, the latest first."""
        cards = self._get("history/").xpath("//*[@data-assignment-id]")
        states = "string(.//dt[.='State']/following-sibling::dd)"
        return [(card.get("data-assignment-id", ""), card.xpath(states)) for card in cards]

    def request_qualification(self, qualification_type_id: str) -> None:
        self._post(f"qualifications/{qualification_type_id}/")


class Stage:
    """A running simulator and its clients."""

    market: Market  # of a simulator in this process, for what would take many requests

    def __init__(self, url: str, browser: httpx.Client, token: str = "") -> None:
        self.url, self.browser, self.token = url, browser, token
        self.control = SimulatorControl(url, browser, token)
        self.control_headers = {"Authorization": f"Bearer {token}"}

    def control_page(self, path: str = "") -> str:
        """Return the URL of a page of the control, with the token."""
        return f"{self.url}/control/{path}?token={self.token}"

    def client(self, access_key: str = REQUESTER, secret: str = SECRET_KEY, **config):
        """Return the real client of a requester; by default it does not retry.

        The usual requester has one client, since making one takes longer than most requests.
        """
        if (access_key, secret, config) == (REQUESTER, SECRET_KEY, {}):
            return _requester_of(self.url)
        return _make_client(self.url, access_key, secret, **config)

    def in_hours(self, hours: float) -> datetime:
        """Return the simulator's time plus some hours."""
        return datetime.fromtimestamp(self.control.state()["now"], UTC) + timedelta(hours=hours)

    def worker(self, **profile) -> Worker:
        """Create a worker."""
        return Worker.join(self.url, self.browser, **profile)


@functools.lru_cache(maxsize=8)
def _requester_of(url: str):
    return _make_client(url, REQUESTER, SECRET_KEY)


def _make_client(url: str, access_key: str, secret: str, **config):
    once = {"retries": {"mode": "standard", "total_max_attempts": 1}}
    return _session().client(
        "mturk",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=access_key,
        aws_secret_access_key=secret,
        config=Config(**{"connect_timeout": 5, "read_timeout": 30, **once, **config}),
    )


@contextmanager
def running_simulator() -> Iterator[Stage]:
    """Yield a simulator in a thread and in memory, with its clock stopped."""
    server = _start_server()
    try:
        yield _set_stage(server)
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def empty_simulator() -> Iterator[Stage]:
    """Yield the simulator that the tests of a process share, with a new market.

    Its address stays the same, so clients of it are made once. Two must not run at a time.
    """
    server = _shared_server()
    server.market = Market(Store())
    try:
        yield _set_stage(server)
    finally:
        server.market.close()


@functools.cache
def _shared_server() -> SimulatorServer:
    return _start_server()


def _start_server() -> SimulatorServer:
    server = SimulatorServer(Market(Store()))
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


def _set_stage(server: SimulatorServer) -> Stage:
    stage = Stage(server.url, _browser(), server.control_token)
    stage.market = server.market
    stage.control.stop_clock()
    return stage


@contextmanager
def refused(code: str, match: str | None = None) -> Iterator[pytest.ExceptionInfo[ClientError]]:
    """Expect a refusal with this TurkErrorCode or, without one, this error type."""
    with pytest.raises(ClientError, match=match) as error:
        yield error
    response = error.value.response
    found = response.get("TurkErrorCode", response["Error"]["Code"])
    assert found.removeprefix("AWS.MechanicalTurk.") == code


def question(url: str = TASK, height: int = 0) -> str:
    return (
        f'<ExternalQuestion xmlns="{EXTERNAL_QUESTION}"><ExternalURL>{url}</ExternalURL>'
        f"<FrameHeight>{height}</FrameHeight></ExternalQuestion>"
    )


def hit_values(**changes):
    """Return the arguments of CreateHIT for a HIT of one place."""
    return {
        "MaxAssignments": 1,
        "AutoApprovalDelayInSeconds": 3 * 24 * 3600,
        "LifetimeInSeconds": 24 * 3600,
        "AssignmentDurationInSeconds": 3600,
        "Reward": "0.50",
        "Title": "Similarity of words",
        "Description": "Read a text and judge two words.",
        "Question": question(),
        **changes,
    }


def publish(client, **changes) -> str:
    """Create a HIT and return its id."""
    return client.create_hit(**hit_values(**changes))["HIT"]["HITId"]


def group_of(client, hit_id: str) -> str:
    return client.get_hit(HITId=hit_id)["HIT"]["HITGroupId"]


def places(client, hit_id: str) -> tuple[str, int, int, int]:
    """Return a HIT's status, and its places: available, pending, completed."""
    hit = client.get_hit(HITId=hit_id)["HIT"]
    names = ("Available", "Pending", "Completed")
    available, pending, completed = (hit[f"NumberOfAssignments{name}"] for name in names)
    return hit["HITStatus"], available, pending, completed


def work_on(client, worker: Worker, hit_id: str, answer: str = "C0DE") -> str:
    """Let a worker accept and submit a task; return the assignment's id."""
    held = worker.accept(group_of(client, hit_id))
    worker.submit(held.mturk_assignment_id, {"completion_code": answer})
    return held.mturk_assignment_id


def statuses(client, hit_id: str) -> list[str]:
    """Return the statuses of the submissions, as the requester sees them."""
    pages = client.get_paginator("list_assignments_for_hit").paginate(HITId=hit_id)
    return [found["AssignmentStatus"] for page in pages for found in page["Assignments"]]


def balance(client) -> tuple[str, str]:
    """Return the balances available and on hold."""
    account = client.get_account_balance()
    return account["AvailableBalance"], account["OnHoldBalance"]
