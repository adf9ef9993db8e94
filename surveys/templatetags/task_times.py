"""Template filter for instants of shared tasks: in the task's zone and in UTC."""

from datetime import UTC, datetime

from django import template
from django.utils.html import format_html

from surveys.templatetags.zones import NONE, in_zone, zone_name

register = template.Library()


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
    if at is None:
        return NONE
    machine, universal = _write(at)
    if zone == "UTC":
        return format_html('<time datetime="{}">{}</time>', machine, universal)
    return format_html(
        '<time datetime="{}">{} <span class="zone">{} · {}</span></time>',
        machine,
        in_zone(at, zone),
        zone_name(zone),
        universal,
    )


@register.filter
def when_listed(at: datetime | None, zone: str) -> str:
    r"""Return an instant in a zone and in UTC, for tables whose caption names the zone.

    The reader's own time is left out there.

    >>> shown = when_listed(datetime(2027, 2, 1, 11, 59, 59, tzinfo=UTC), "Etc/GMT+12")
    >>> print(shown.replace("\xa0", " ").replace("<span", "\n<span").replace(" \n", "\n"))
    <time datetime="2027-02-01T11:59:59Z" data-listed>31 January 2027, 23:59:59
    <span class="zone">1 February 2027, 11:59:59 UTC</span></time>
    """
    if at is None:
        return NONE
    machine, universal = _write(at)
    if zone == "UTC":
        return format_html('<time datetime="{}" data-listed>{}</time>', machine, universal)
    return format_html(
        '<time datetime="{}" data-listed>{} <span class="zone">{}</span></time>',
        machine,
        in_zone(at, zone),
        universal,
    )


def _write(at: datetime) -> tuple[str, str]:
    """Return an instant for machines, and in UTC for people."""
    machine = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return machine, f"{in_zone(at, 'UTC')} UTC"
