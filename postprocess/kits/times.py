"""Instants in words, in UTC and in the zone of a shared task."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

ANYWHERE = "Etc/GMT+12"  # anywhere on earth: the sign of this name is turned round


def write_instant(at: datetime, zone: str) -> str:
    """Write an instant in UTC and, if it is another one, in a zone.

    >>> write_instant(datetime(2027, 2, 1, 11, 59, 59, tzinfo=UTC), "Etc/GMT+12")
    '1 February 2027, 11:59:59 UTC (31 January 2027, 23:59:59 anywhere on earth, UTC−12)'
    """
    text = f"{_write(at.astimezone(UTC))} UTC"
    if zone == "UTC":
        return text
    name = "anywhere on earth, UTC−12" if zone == ANYWHERE else zone.replace("_", " ")
    return f"{text} ({_write(at.astimezone(ZoneInfo(zone)))} {name})"


def _write(at: datetime) -> str:
    seconds = at.strftime(":%S") if at.second else ""
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}, {at.strftime('%H:%M')}{seconds}"


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
