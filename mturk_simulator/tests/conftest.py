"""The MTurk simulator and its clients, and guards that keep tests off the network."""

from mturk_simulator.tests.fixtures import (
    no_aws_configuration,
    no_network,
    no_retry_delay,
    platform,
    requester,
    simulator,
    worker,
)

__all__ = [
    "no_aws_configuration",
    "no_network",
    "no_retry_delay",
    "platform",
    "requester",
    "simulator",
    "worker",
]  # fmt: skip
