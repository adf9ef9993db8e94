"""What a provider takes for a payment. Its rates are settings, each with the day it began.

Whole cents, and never a float: what is shown is rounded half up, as providers do; what is reserved
and held against a ceiling is rounded up.
"""

from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal

from django.conf import settings

from surveys.errors import FeesUnknown
from surveys.recruitment.providers import rules_of

CROWD = 10  # places of a HIT from which on it costs more
NO_FEE = Decimal(0)


@dataclass(frozen=True)
class FeeRates:
    """Shares of the reward or of the bonus, and the least fee in cents."""

    since: date
    reward: Decimal = NO_FEE
    bonus: Decimal = NO_FEE
    crowded: Decimal = NO_FEE
    masters: Decimal = NO_FEE
    minimum: Decimal = NO_FEE

    def of_reward(
        self, reward_cents: int, *, n_places: int = 1, for_masters: bool = False
    ) -> Decimal:
        """The fee for one place among so many of a HIT, in cents, not rounded."""
        share = self.reward
        if n_places >= CROWD:
            share += self.crowded
        if for_masters:
            share += self.masters
        return max(self.minimum, reward_cents * share)

    def of_bonus(self, amount_cents: int) -> Decimal:
        """The fee for a bonus, in cents, not rounded."""
        return max(self.minimum, amount_cents * self.bonus)


@dataclass(frozen=True)
class Estimate:
    """What so many places cost, as shown before anything is decided."""

    n_places: int
    n_hits: int
    wages_cents: int
    fees_cents: int

    @property
    def total_cents(self) -> int:
        """Wages and fees."""
        return self.wages_cents + self.fees_cents


def rates_of(provider: str, on: date) -> FeeRates:
    """The rates of a provider on a day. Raises FeesUnknown for a day before the first."""
    name = rules_of(provider).fees
    if not name:
        return FeeRates(since=date.min)
    sets = [
        FeeRates(
            since=date.fromisoformat(rates["since"]),
            **{rate: Decimal(share) for rate, share in rates.items() if rate != "since"},
        )
        for rates in getattr(settings, name)
    ]
    known = [rates for rates in sets if rates.since <= on]
    if not known:
        raise FeesUnknown(f"{name} tells of no fees on {on:%Y-%m-%d}: add the rates of that day.")
    return max(known, key=lambda rates: rates.since)


def round_shown(fee: Decimal) -> int:
    """Half up, as a provider bills it.

    >>> [round_shown(Decimal(fee)) for fee in ("2.4", "2.5", "2.6")]
    [2, 3, 3]
    """
    return int(fee.to_integral_value(ROUND_HALF_UP))


def round_reserved(fee: Decimal) -> int:
    """Up, so that what is reserved is enough.

    >>> [round_reserved(Decimal(fee)) for fee in ("2", "2.1")]
    [2, 3]
    """
    return int(fee.to_integral_value(ROUND_CEILING))


def estimate_places(
    rates: FeeRates, reward_cents: int, n_places: int, *, places_a_hit: int
) -> Estimate:
    """What places cost that are offered in HITs of up to so many."""
    sizes = split_places(n_places, places_a_hit)
    fees = sum(round_shown(rates.of_reward(reward_cents, n_places=n)) * n for n in sizes)
    return Estimate(n_places, len(sizes), reward_cents * n_places, fees)


def split_places(n_places: int, most: int) -> list[int]:
    """So many places in as few parts as hold them.

    >>> split_places(30, 9), split_places(0, 9)
    ([9, 9, 9, 3], [])
    """
    whole, rest = divmod(n_places, most)
    return [most] * whole + [rest] * bool(rest)


def hourly_cents(reward_cents: int, minutes: float) -> int:
    """What a reward is an hour, for who takes so long.

    >>> hourly_cents(50, 4.0)
    750
    """
    return round_shown(Decimal(reward_cents) * 60 / Decimal(str(minutes)))


def is_low_wage(hourly: int) -> bool:
    """Whether a wage is under the one below which pages warn."""
    return hourly < settings.LOWEST_WAGE_CENTS


def read_cents(amount: str) -> int:
    """The cents of an amount as MTurk writes it.

    >>> read_cents("0.5"), read_cents("12"), read_cents("0.29")
    (50, 1200, 29)
    """
    return int(Decimal(amount) * 100)


def write_cents(cents: int) -> str:
    """An amount as people and MTurk write it.

    >>> write_cents(50), write_cents(6000), write_cents(5)
    ('0.50', '60.00', '0.05')
    """
    return f"{cents // 100}.{cents % 100:02}"
