import socket
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.mturk.stage import Stage, running_simulator


@pytest.fixture
def simulator() -> Iterator[Stage]:
    """A simulator of this test's own; its clock stands still until it is moved."""
    with running_simulator() as stage:
        yield stage


@pytest.fixture
def requester(simulator):
    """The real client, which does not retry."""
    return simulator.client()


@pytest.fixture
def worker(simulator):
    return simulator.worker()


@pytest.fixture(autouse=True)
def aws_of_this_machine_is_out_of_reach(monkeypatch, tmp_path):
    """No key, file or address of this machine's own reaches a client."""
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_MTURK", "AWS_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def platform(simulator, settings) -> Stage:
    """The simulator, as the target that the site asks."""
    settings.MTURK_SIMULATOR_URL = simulator.url
    return simulator


@pytest.fixture(autouse=True)
def nothing_leaves_this_machine(monkeypatch):
    connect = socket.socket.connect

    def connect_here(self, address):
        is_here = self.family == socket.AF_UNIX or address[0] in {"127.0.0.1", "::1", "localhost"}
        if not is_here:
            raise OSError(f"A test left this machine for {address[0]}.")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


@pytest.fixture(autouse=True)
def retries_do_not_wait(monkeypatch):
    """The client tries again at once."""
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda seconds: None))
