"""Template filters for dates: one form on all pages, which is not broken across lines.

Built into every template by `TEMPLATES`.
"""

from datetime import date, datetime

from django import template
from django.utils import dateformat

register = template.Library()
NONE = "–"  # as in `figures`
DAY = "j\u00a0F\u00a0Y"


@register.filter(expects_localtime=True)
def day(at: date | None) -> str:
    r"""Return a date in words; a dash for None.

    >>> day(date(2026, 5, 4)), day(None)
    ('4\xa0May\xa02026', '–')
    """
    return dateformat.format(at, DAY) if at else NONE


@register.filter(expects_localtime=True)
def instant(at: datetime | None) -> str:
    r"""Return a date with its time of day; a line can end before the time.

    >>> instant(datetime(2026, 5, 4, 7, 5)), instant(None)
    ('4\xa0May\xa02026, 07:05', '–')
    """
    return dateformat.format(at, f"{DAY}, H:i") if at else NONE
