"""Amounts in cents and the service's fees, independent of the site's own calculation."""

from decimal import ROUND_HALF_UP, Decimal

FEE = Decimal("0.20")
FEE_OF_MANY_PLACES = Decimal("0.20")
MANY_PLACES = 10
FEE_OF_MASTERS = Decimal("0.05")
LEAST_FEE_CENTS = 1


def read_cents(amount: str) -> int:
    """Return an amount of the model, such as 0.5, 12 or 12.50, in cents."""
    return int(Decimal(amount) * 100)


def write_dollars(cents: int) -> str:
    """Return an amount as the service writes it; a negative one as zero."""
    return f"{Decimal(max(cents, 0)) / 100:.2f}"


def reward_fee_cents(reward_cents: int, *, n_places: int, is_for_masters: bool) -> int:
    """Return the fee for one place of a HIT, its sum rounded half up.

    Fees for premium qualifications are left out: the simulator has none.
    """
    rate = FEE
    if n_places >= MANY_PLACES:
        rate += FEE_OF_MANY_PLACES
    if is_for_masters:
        rate += FEE_OF_MASTERS
    return _share(reward_cents, rate)


def bonus_fee_cents(bonus_cents: int) -> int:
    """Return the fee for a bonus."""
    return _share(bonus_cents, FEE)


def _share(cents: int, rate: Decimal) -> int:
    share = (Decimal(cents) * rate).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return max(int(share), LEAST_FEE_CENTS)
