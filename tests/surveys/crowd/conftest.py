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
from surveys.models import Study
from surveys.study.design import configure_study
from tests.factories.batches import arm, plan, publish
from tests.factories.studies import make_study

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
def study() -> Study:
    return configure_study(
        make_study(4, block_size=2, ratings_per_context=4), contact="ana@example.org"
    )


@pytest.fixture
def hits(study) -> list[Hit]:
    """Return live HITs of two places each: block 1 A and B, block 2 A."""
    return publish(arm(plan(study, 2, 3)))


@pytest.fixture
def hit(hits) -> Hit:
    return hits[0]
