"""Amounts of money: whole cents, never floats."""

from decimal import Decimal


def read_cents(amount: str) -> int:
    """Return a decimal amount in cents.

    >>> read_cents("0.5"), read_cents("12"), read_cents("0.29")
    (50, 1200, 29)
    """
    return int(Decimal(amount) * 100)


def format_cents(cents: int) -> str:
    """Return cents as a decimal amount.

    >>> format_cents(50), format_cents(6000), format_cents(5)
    ('0.50', '60.00', '0.05')
    """
    return f"{cents // 100}.{cents % 100:02}"
