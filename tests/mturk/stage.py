"""The simulator on a free port, as requesters, workers and its operator reach it."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from surveys.rehearsal.mturk_site import CrowdWorker, SimulatorControl, open_browser
from surveys.rehearsal.simulator.market import Market
from surveys.rehearsal.simulator.questions import EXTERNAL_QUESTION
from surveys.rehearsal.simulator.server import SimulatorServer
from surveys.rehearsal.simulator.store import Store
from surveys.rehearsal.simulator.wire import SECRET_KEY

REQUESTER = "simulator"
TASK = "http://localhost:8000/mturk/enter/5a5a/?round=1&amp;of=2"


@functools.cache
def _session() -> boto3.session.Session:
    """One for all tests: it reads the descriptions of the services, which takes long."""
    return boto3.session.Session()


@functools.cache
def _browser() -> httpx.Client:
    return open_browser()


class Stage:
    """A simulator that runs, wherever it runs."""

    def __init__(self, url: str, browser: httpx.Client, token: str = "") -> None:
        self.url, self.browser, self.token = url, browser, token
        self.control = SimulatorControl(url, browser, token)
        self.control_headers = {"Authorization": f"Bearer {token}"}

    def control_page(self, path: str = "") -> str:
        """The address of a page of the control, as the links to it have it."""
        return f"{self.url}/control/{path}?token={self.token}"

    def client(self, access_key: str = REQUESTER, secret: str = SECRET_KEY, **config):
        """The real client, of a requester; by default it tries once."""
        once = {"retries": {"mode": "standard", "total_max_attempts": 1}}
        return _session().client(
            "mturk",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=access_key,
            aws_secret_access_key=secret,
            config=Config(**{"connect_timeout": 5, "read_timeout": 30, **once, **config}),
        )

    def in_hours(self, hours: float) -> datetime:
        """When it is so much later, or earlier, by the simulator's clock."""
        return datetime.fromtimestamp(self.control.state()["now"], UTC) + timedelta(hours=hours)

    def worker(self, **profile) -> CrowdWorker:
        """Somebody new who works here."""
        return CrowdWorker.join(self.url, self.browser, **profile)


@contextmanager
def running_simulator() -> Iterator[Stage]:
    """A simulator in a thread and in memory; its clock stands still until it is moved."""
    server = SimulatorServer(Market(Store()))
    server.start()
    try:
        stage = Stage(server.url, _browser(), server.control_token)
        stage.control.stop_clock()
        yield stage
    finally:
        server.stop()


@contextmanager
def refused(code: str, match: str | None = None) -> Iterator[pytest.ExceptionInfo[ClientError]]:
    """What is done within is refused, by this TurkErrorCode or, where it has none, this type."""
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
    """What CreateHIT needs, for a HIT of one place."""
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
    """The id of a new HIT."""
    return client.create_hit(**hit_values(**changes))["HIT"]["HITId"]


def group_of(client, hit_id: str) -> str:
    return client.get_hit(HITId=hit_id)["HIT"]["HITGroupId"]


def places(client, hit_id: str) -> tuple[str, int, int, int]:
    """A HIT's status, and its places: available, pending, completed."""
    hit = client.get_hit(HITId=hit_id)["HIT"]
    names = ("Available", "Pending", "Completed")
    available, pending, completed = (hit[f"NumberOfAssignments{name}"] for name in names)
    return hit["HITStatus"], available, pending, completed


def work_on(client, worker: CrowdWorker, hit_id: str, answer: str = "C0DE") -> str:
    """The id of an assignment that a worker has accepted and sent in."""
    held = worker.accept(group_of(client, hit_id))
    worker.submit(held.mturk_assignment_id, {"completion_code": answer})
    return held.mturk_assignment_id


def statuses(client, hit_id: str) -> list[str]:
    """The statuses of what was sent in, as the requester sees it."""
    pages = client.get_paginator("list_assignments_for_hit").paginate(HITId=hit_id)
    return [found["AssignmentStatus"] for page in pages for found in page["Assignments"]]


def balance(client) -> tuple[str, str]:
    """What is available, and what is on hold."""
    account = client.get_account_balance()
    return account["AvailableBalance"], account["OnHoldBalance"]
