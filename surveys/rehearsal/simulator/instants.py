"""Instants, stored as seconds since 1970, as the model has them."""

from datetime import UTC, datetime


def read_instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
