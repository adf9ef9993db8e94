"""Template filter for contacts that annotators write to."""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

register = template.Library()
MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@register.filter
def linked(text: str) -> SafeString:
    """Return a text as HTML in which e-mail addresses are links.

    >>> linked("Ana <Lab>, lab@example.org.")
    'Ana &lt;Lab&gt;, <a href="mailto:lab@example.org">lab@example.org</a>.'
    """
    html = MAIL.sub(lambda mail: f'<a href="mailto:{mail[0]}">{mail[0]}</a>', escape(text))
    return SafeString(html)  # nosec B703 # (escaped)
