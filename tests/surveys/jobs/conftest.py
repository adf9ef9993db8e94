import pytest

from surveys import features
from tests.factories.jobs import register_work


@pytest.fixture(autouse=True)
def work(monkeypatch):
    """The kind of job of these tests."""
    monkeypatch.setattr(features, "_features", dict(features._features))  # noqa: SLF001
    register_work()


@pytest.fixture
def jobs_performed_when_committed():
    """Perform jobs only where a test does, also those of committed requests."""
