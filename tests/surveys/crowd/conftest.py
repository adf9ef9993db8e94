"""The MTurk simulator and its clients, guards that keep tests off the network, and live HITs."""

import pytest

from mturk_simulator.tests.fixtures import (
    no_aws_configuration,
    no_network,
    no_retry_delay,
    platform,
    requester,
    simulator,
    worker,
)
from surveys.crowd.models import Hit
from tests.factories.batches import arm, plan, publish

__all__ = [
    "no_aws_configuration",
    "no_network",
    "no_retry_delay",
    "platform",
    "requester",
    "simulator",
    "worker",
]  # fmt: skip


@pytest.fixture
def hit(study) -> Hit:
    """Return a live HIT of two places, of a batch with a dollar for bonuses."""
    return publish(arm(plan(study), more_cents=100))[0]


@pytest.fixture
def hits(study) -> list[Hit]:
    """Return live HITs of two places each: block 1 A and B, block 2 A."""
    return publish(arm(plan(study, 2, 3)))


@pytest.fixture
def first_hit(hits) -> Hit:
    return hits[0]
