"""Template filters for the times of shared tasks, which are meant in the zone of the task."""

from datetime import datetime

from django import template
from django.utils import dateformat

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
