from django import template

from surveys.fees import write_cents

register = template.Library()


@register.filter
def dollars(cents: int | None) -> str:
    """An amount in cents as pages show it; a dash for none.

    >>> dollars(6000), dollars(None)
    ('$60.00', '–')
    """
    return "–" if cents is None else f"${write_cents(cents)}"
