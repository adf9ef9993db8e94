"""Fees of MTurk and its simulator: Amazon's last price list, since it closed MTurk.

Amounts are whole cents, never floats: shown fees are rounded half up, as providers bill them;
fees reserved below a ceiling are rounded up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal

from django.conf import settings

from surveys.crowd.mturk.targets import list_targets

CROWD = 10  # a HIT with this many places or more costs more
NO_FEE = Decimal(0)


@dataclass(frozen=True)
class FeeRates:
    """Fees as shares of the reward or bonus, and the minimum fee in cents."""

    reward: Decimal = NO_FEE
    bonus: Decimal = NO_FEE
    crowded: Decimal = NO_FEE
    masters: Decimal = NO_FEE
    minimum: Decimal = NO_FEE

    def of_reward(
        self, reward_cents: int, *, n_places: int = 1, for_masters: bool = False
    ) -> Decimal:
        """Return the unrounded fee in cents for one of the `n_places` of a HIT."""
        share = self.reward
        if n_places >= CROWD:
            share += self.crowded
        if for_masters:
            share += self.masters
        return max(self.minimum, reward_cents * share)

    def of_bonus(self, amount_cents: int) -> Decimal:
        """Return the unrounded fee in cents for a bonus."""
        return max(self.minimum, amount_cents * self.bonus)


@dataclass(frozen=True)
class Estimate:
    """Estimated cost of places, as shown before a batch is planned."""

    n_places: int
    n_hits: int
    wages_cents: int
    fees_cents: int

    @property
    def total_cents(self) -> int:
        """Return wages plus fees."""
        return self.wages_cents + self.fees_cents


PRICE_LIST = FeeRates(
    reward=Decimal("0.20"),
    bonus=Decimal("0.20"),
    crowded=Decimal("0.20"),
    masters=Decimal("0.05"),
    minimum=Decimal(1),
)


def rates_of(provider: str) -> FeeRates:
    """Return the price list for MTurk's targets; payments elsewhere are recorded without fees."""
    is_target = any(target.provider == provider for target in list_targets())
    return PRICE_LIST if is_target else FeeRates()


def round_shown(fee: Decimal) -> int:
    """Round half up, as a provider bills it.

    >>> [round_shown(Decimal(fee)) for fee in ("2.4", "2.5", "2.6")]
    [2, 3, 3]
    """
    return int(fee.to_integral_value(ROUND_HALF_UP))


def round_reserved(fee: Decimal) -> int:
    """Round up, so that the reserved money suffices.

    >>> [round_reserved(Decimal(fee)) for fee in ("2", "2.1")]
    [2, 3]
    """
    return int(fee.to_integral_value(ROUND_CEILING))


def estimate_hits(rates: FeeRates, reward_cents: int, sizes: Sequence[int]) -> Estimate:
    """Return the cost of HITs with these numbers of places."""
    fees = sum(round_shown(rates.of_reward(reward_cents, n_places=n)) * n for n in sizes)
    return Estimate(sum(sizes), len(sizes), reward_cents * sum(sizes), fees)


def split_places(n_places: int, most: int) -> list[int]:
    """Split places into as few parts of at most `most` as possible.

    >>> split_places(30, 9), split_places(0, 9)
    ([9, 9, 9, 3], [])
    """
    whole, rest = divmod(n_places, most)
    return [most] * whole + [rest] * bool(rest)


def hourly_cents(reward_cents: int, minutes: float) -> int:
    """Return the hourly wage for a reward earned in this many minutes.

    >>> hourly_cents(50, 4.0)
    750
    """
    return round_shown(Decimal(reward_cents) * 60 / Decimal(str(minutes)))


def is_low_wage(hourly: int) -> bool:
    """Return whether an hourly wage is below the limit at which pages warn."""
    return bool(hourly < settings.LOWEST_WAGE_CENTS)
