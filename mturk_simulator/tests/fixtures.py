import socket
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from mturk_simulator.tests.stage import Stage, empty_simulator


@pytest.fixture
def simulator() -> Iterator[Stage]:
    """Yield a simulator without any state, with its clock stopped."""
    with empty_simulator() as stage:
        yield stage


@pytest.fixture
def requester(simulator):
    """Return the real client, which does not retry."""
    return simulator.client()


@pytest.fixture
def worker(simulator):
    return simulator.worker()


@pytest.fixture(autouse=True)
def no_aws_configuration(monkeypatch, tmp_path):
    """Keep keys, files and endpoints of this machine's AWS configuration from clients."""
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_MTURK", "AWS_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def platform(simulator, settings) -> Stage:
    """Set the simulator as the site's target."""
    settings.MTURK_SIMULATOR_URL = simulator.url
    return simulator


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    connect = socket.socket.connect

    def connect_here(self, address):
        is_here = self.family == socket.AF_UNIX or address[0] in {"127.0.0.1", "::1", "localhost"}
        if not is_here:
            raise OSError(f"A test left this machine for {address[0]}.")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


@pytest.fixture(autouse=True)
def no_retry_delay(monkeypatch):
    """Let the client retry immediately."""
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda seconds: None))
