"""Conversion of stored seconds since 1970 to the model's datetimes."""

from datetime import UTC, datetime


def read_instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
