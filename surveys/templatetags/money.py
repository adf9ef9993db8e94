from django import template

from surveys.crowd.fees import write_cents

register = template.Library()


@register.filter
def dollars(cents: int | None) -> str:
    """An amount in cents as pages show it; a dash for none.

    >>> dollars(6000), dollars(-50), dollars(None)
    ('$60.00', '−$0.50', '–')
    """
    if cents is None:
        return "–"
    return f"{'−' if cents < 0 else ''}${write_cents(abs(cents))}"
