"""Fragments that show researchers a context as annotators see it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from postprocess.designs.kinds import Item, Side
from surveys.models import Context, Study, TextKind
from surveys.study.exercises import read_practice
from surveys.study.texts import read_text
from surveys.web.rendering.item_pages import describe_item, make_rating_form
from surveys.web.rendering.study_page import StudyDisplay, preview_display

WORD = re.compile(r"\s*\S+")
FIRST, AROUND = 5, 1  # words of an excerpt: at the beginning, and on each side of a target


class ShownContext(NamedTuple):
    """The parts of the annotator pages of a context; `bare` is empty if they have one page."""

    context: Context
    bare: SafeString
    shown: SafeString


def show_context(face: StudyDisplay, context: Context) -> ShownContext:
    """Render what the annotator pages of a context show, in the study's language."""
    item, bare = context.restored(face.study.kind), SafeString("")
    if face.study.kind.n_pages == 2:
        values = {"face": face, **describe_item(item, face.study, is_marked=False)}
        bare = render_to_string("annotate/_text.html", values)
    score = context.pair.details.get("score", "")
    return ShownContext(context, bare, show_item(face, item, score))


def show_item(
    face: StudyDisplay, item: Item[Any], score: str = "", *, has_fields: bool = True
) -> SafeString:
    """Render an item with its question and what is to be filled in, in the study's language.

    `score` is what translators are told of a pair.
    """
    sides = enumerate(face.study.kind.sides(item), 1)
    with translation.override(face.interface):
        values = {
            "face": face,
            "form": make_rating_form(face, None) if has_fields else None,
            **describe_item(item, face.study, is_marked=True, score=score),
            **{f"text{n}": format_html_join("", "{}", _emphasise(side)) for n, side in sides},
        }
        return render_to_string("console/study/_item.html", values)


def _emphasise(side: Side) -> Iterator[tuple[SafeString | str]]:
    """Yield the pieces of a text, its targets in bold."""
    for piece, target in side:
        yield (format_html("<strong>{}</strong>", piece) if target else piece,)


def picture_item(study: Study) -> SafeString:
    """Render the first practice item of a study, which may not be stored yet."""
    practice = read_practice(read_text(study, TextKind.PRACTICE).body, study.item_rules)
    return show_item(preview_display(study), practice[0].item)


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
