"""The question that a plan answers, and what a study costs; loads no other library."""

import math
from dataclasses import dataclass

from postprocess.errors import UserError

FEWEST_SIMULATIONS = 100


class PlanError(UserError):
    """An invalid question; the message says what to change."""


@dataclass(frozen=True)
class Question:
    """The changes to detect, in published points, and the required power.

    `power` is the share of such changes to be found, `alpha` the level of the published
    one-sided p; `most` the largest number of annotators per context to try; `simulations` the
    number of experiments for each change and number.
    """

    changes: tuple[float, ...] = (1.0, 2.0, 3.0)
    power: float = 0.8
    alpha: float = 0.05
    most: int = 60
    simulations: int = 10_000

    def __post_init__(self) -> None:
        if not self.changes or not all(math.isfinite(d) and d > 0 for d in self.changes):
            raise PlanError(f"changes must be above 0, got {list(self.changes)}")
        for name in ("power", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise PlanError(f"{name} must lie between 0 and 1, got {getattr(self, name)}")
        if self.most < 2:
            raise PlanError(f"at least 2 annotators per context must be tried, got {self.most}")
        if self.simulations < FEWEST_SIMULATIONS:
            raise PlanError(
                f"{FEWEST_SIMULATIONS} simulations or more are needed, got {self.simulations}"
            )


@dataclass(frozen=True)
class Costs:
    """The size of a study and the cost of an hour.

    `pairs` in blocks of at most `block_size`; `seconds_per_item` for the two pages of a
    context, `minutes_before` once per questionnaire for consent, instructions and practice.
    `left_out_percent` of the paid annotators will not be used. `pay_per_hour` in any currency,
    None for hours only; `fee_percent` is added for the recruiting service.
    """

    pairs: int
    block_size: int = 20
    seconds_per_item: float = 40.0
    minutes_before: float = 0.0
    left_out_percent: float = 0.0
    pay_per_hour: float | None = None
    fee_percent: float = 0.0

    def __post_init__(self) -> None:
        if self.pairs < 1 or self.block_size < 1:
            raise PlanError("there must be one pair or more, and one or more in a block")
        amounts = (self.seconds_per_item, self.minutes_before, self.fee_percent)
        if not all(math.isfinite(x) and x >= 0 for x in (*amounts, self.pay_per_hour or 0)):
            raise PlanError("times, pay and fee must be numbers from 0")
        if not 0 <= self.left_out_percent < 100:
            raise PlanError(f"{self.left_out_percent} % left out leaves nobody")
