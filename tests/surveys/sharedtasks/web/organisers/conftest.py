import pytest

from tests.factories.organised import NOW
from tests.factories.sharedtasks import make_shared_task


@pytest.fixture
def own_draft(ana):
    return make_shared_task(ana, state="draft", opened_at=None, zone="UTC")


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch):
    """Let each request of a page of a shared task begin at noon on 1 January 2027."""
    monkeypatch.setattr("surveys.sharedtasks.web.organisers.access.began_at", lambda request: NOW)
