"""Template filter for amounts of money."""

from django import template

from surveys.money import format_cents

register = template.Library()


@register.filter
def dollars(cents: int | None) -> str:
    """Return an amount in cents as dollars; a dash for None.

    >>> dollars(6000), dollars(-50), dollars(None)
    ('$60.00', '−$0.50', '–')
    """
    if cents is None:
        return "–"
    return f"{'−' if cents < 0 else ''}${format_cents(abs(cents))}"
