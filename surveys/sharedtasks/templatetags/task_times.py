"""Template filters for instants of shared tasks: in the task's zone and in UTC."""

from datetime import UTC, datetime

from django import template
from django.utils import dateformat
from django.utils.html import format_html

from surveys.sharedtasks.phases import name_zone, write_local

register = template.Library()
NONE = "–"  # as in `figures`
DAY, TIME = "j\u00a0F\u00a0Y", "H:i"


@register.filter(expects_localtime=False)
def in_zone(at: datetime | None, zone: str) -> str:
    r"""Return an instant as the local time of a zone, with seconds if it has any; a dash for None.

    >>> from datetime import UTC
    >>> in_zone(datetime(2027, 2, 1, 11, 59, 59, tzinfo=UTC), "Etc/GMT+12")
    '31\xa0January\xa02027, 23:59:59'
    """
    if at is None:
        return NONE
    local = write_local(at, zone)
    return dateformat.format(local, f"{DAY}, {TIME}:s" if local.second else f"{DAY}, {TIME}")


@register.filter
def zone_name(zone: str) -> str:
    """Return the name of a zone on pages.

    >>> zone_name("Europe/Ljubljana")
    'Europe/Ljubljana'
    """
    return name_zone(zone)


@register.filter
def when(at: datetime | None, zone: str) -> str:
    r"""Return an instant in a zone and in UTC; a dash for None.

    `times.js` adds the reader's own time.

    >>> shown = when(datetime(2027, 2, 1, 11, 59, 59, tzinfo=UTC), "Etc/GMT+12")
    >>> print(shown.replace("\xa0", " ").replace("<span", "\n<span").replace(" \n", "\n"))
    <time datetime="2027-02-01T11:59:59Z">31 January 2027, 23:59:59
    <span class="zone">anywhere on earth (UTC−12) · 1 February 2027, 11:59:59 UTC</span></time>
    >>> print(when(datetime(2027, 2, 1, 12, tzinfo=UTC), "UTC").replace("\xa0", " "))
    <time datetime="2027-02-01T12:00:00Z">1 February 2027, 12:00 UTC</time>
    """
    return _write(at, zone, is_listed=False)


@register.filter
def when_listed(at: datetime | None, zone: str) -> str:
    r"""Return an instant in a zone and in UTC, for tables whose caption names the zone.

    The reader's own time is left out there.

    >>> shown = when_listed(datetime(2027, 2, 1, 11, 59, 59, tzinfo=UTC), "Etc/GMT+12")
    >>> print(shown.replace("\xa0", " ").replace("<span", "\n<span").replace(" \n", "\n"))
    <time datetime="2027-02-01T11:59:59Z" data-listed>31 January 2027, 23:59:59
    <span class="zone">1 February 2027, 11:59:59 UTC</span></time>
    """
    return _write(at, zone, is_listed=True)


def _write(at: datetime | None, zone: str, *, is_listed: bool) -> str:
    """Return an instant in a zone and in UTC; the zone is named unless it is listed."""
    if at is None:
        return NONE
    shown = universal = f"{in_zone(at, 'UTC')} UTC"
    if zone != "UTC":
        name = "" if is_listed else f"{zone_name(zone)} · "
        words = '{} <span class="zone">{}{}</span>'
        shown = format_html(words, in_zone(at, zone), name, universal)
    machine = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    listed = " data-listed" if is_listed else ""
    return format_html('<time datetime="{}"{}>{}</time>', machine, listed, shown)
