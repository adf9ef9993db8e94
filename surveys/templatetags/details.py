"""Template filter for values of log entries, without Python's None, True or {}."""

from django import template

register = template.Library()


@register.filter
def plain_value(value: object) -> str:
    """Return a value in words; a dash for None and for an empty list or mapping.

    >>> plain_value(None), plain_value({}), plain_value(True), plain_value(0), plain_value(-2)
    ('–', '–', 'yes', '0', '−2')
    >>> plain_value({"from": None, "to": [1, 2.5]})
    'from –, to 1, 2.5'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value).replace("-", "−")
    if isinstance(value, dict):
        value = [f"{name} {plain_value(one)}" for name, one in value.items()]
    if isinstance(value, list | tuple):
        value = ", ".join(plain_value(one) for one in value)
    return "–" if value is None or value == "" else str(value)
