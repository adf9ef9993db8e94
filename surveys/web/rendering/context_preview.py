"""Fragments that show researchers a context as annotators see it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString

from surveys.models import Context
from surveys.web.rendering.item_pages import describe_item, make_rating_form
from surveys.web.rendering.study_page import StudyDisplay

WORD = re.compile(r"\s*\S+")
MARKED = "{}<strong>{}</strong>{}<strong>{}</strong>{}"
FIRST, AROUND = 5, 1  # words of an excerpt: at the beginning, and on each side of a target


class ShownContext(NamedTuple):
    """The parts of both annotator pages of a context."""

    context: Context
    bare: SafeString
    marked: SafeString
    question: SafeString


def show_context(face: StudyDisplay, context: Context) -> ShownContext:
    """Render the bare text and the marked one with question and scale, in the study's language."""
    item = context.restored(face.study.kind)
    with translation.override(face.interface):
        bare = {"face": face, **describe_item(item, face.study, is_marked=False)}
        marked = {
            "face": face,
            "form": make_rating_form(face, None),
            **describe_item(item, face.study, is_marked=True),
            "text1": format_html(MARKED, *(piece for piece, _is_target in context.parts)),
        }
        return ShownContext(
            context,
            render_to_string("annotate/_text.html", bare),
            render_to_string("annotate/_text.html", marked),
            render_to_string("annotate/_points.html", marked),
        )


def shorten_context(parts: Sequence[tuple[str, int]]) -> list[tuple[str, bool]]:
    """Return the beginning of a text and the words around its two targets, as its parts.

    >>> before = "One two three four five six seven eight nine ten "
    >>> parts = [(before, False), ("ice", True), (" is ", False), ("cold", True), (" here", False)]
    >>> "".join(piece for piece, is_target in shorten_context(parts))
    'One two three four five … ten ice is cold here'
    """
    return list(_shorten(parts))


def _shorten(parts: Sequence[tuple[str, int]]) -> Iterator[tuple[str, bool]]:
    for position, (piece, is_target) in enumerate(parts):
        if is_target:
            yield piece, True
        else:
            n_last = AROUND if position < len(parts) - 1 else 0
            yield _cut(piece, AROUND if position else FIRST, n_last), False


def _cut(text: str, n_first: int, n_last: int) -> str:
    """Return the first and last words of a text, with an ellipsis between them."""
    words = WORD.findall(text)
    if len(words) <= n_first + n_last + 1:
        return text
    end = text[len(text.rstrip()) :] if n_last else ""
    return f"{''.join(words[:n_first])} …{''.join(words[len(words) - n_last :])}{end}"
