"""Template tag for links that apps add to pages of the core."""

from django import template
from django.template import Context, Engine
from django.utils.html import format_html_join
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString

from surveys.features import list_features

register = template.Library()


@register.simple_tag(takes_context=True)
def menu(context: Context, place: str) -> SafeString:
    """Return the links of a place, such as "start page", rendered with the page's context."""
    entries = (entry for feature in list_features() for entry in feature.menu)
    shown = (
        entry
        for entry in entries
        if entry.place == place and (not entry.is_shown or import_string(entry.is_shown)())
    )
    engine = Engine.get_default()
    pages = (engine.get_template(entry.template).render(context) for entry in shown)
    return format_html_join("", "{}", ((page,) for page in pages))
