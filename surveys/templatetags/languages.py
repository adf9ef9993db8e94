"""Template filters for languages: their names where people read them, their codes in files."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from surveys.study.languages import name_language

register = template.Library()


@register.filter
def language(tag: str) -> str:
    """Return the English name of a language, as pages are in English; else what it was given.

    The word for the column of averages stays as it is.

    >>> [language(tag) for tag in ("sl", "sr-Latn", "average")]
    ['Slovenian', 'Serbian (Latin)', 'average']
    """
    return name_language(tag) or tag


@register.filter
def languages(tags: Iterable[str]) -> str:
    """Return the names of languages as an enumeration.

    >>> languages(["fi", "sl"])
    'Finnish, Slovenian'
    """
    return ", ".join(map(language, tags))


@register.filter
def language_code(tag: str) -> SafeString:
    """Return the code of a language for a narrow place, with its name as the title.

    >>> language_code("sl")
    '<abbr title="Slovenian">sl</abbr>'
    """
    return format_html('<abbr title="{}">{}</abbr>', language(tag), tag)
