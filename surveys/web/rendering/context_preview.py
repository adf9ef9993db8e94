"""Fragments that show researchers a context as annotators see it."""

from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString

from surveys.models import Context
from surveys.web.rendering.item_pages import describe_text, make_rating_form
from surveys.web.rendering.study_page import StudyDisplay


class ShownContext(NamedTuple):
    """The parts of both annotator pages of a context."""

    context: Context
    bare: SafeString
    marked: SafeString
    question: SafeString


def show_context(face: StudyDisplay, context: Context) -> ShownContext:
    """Render the bare text and the marked one with question and scale, in the study's language."""
    with translation.override(face.interface):
        bare = {"face": face, **describe_text(context, face.study, is_marked=False)}
        marked = {
            "face": face,
            "form": make_rating_form(face, None),
            **describe_text(context, face.study, is_marked=True),
        }
        return ShownContext(
            context,
            render_to_string("annotate/_text.html", bare),
            render_to_string("annotate/_text.html", marked),
            render_to_string("annotate/_points.html", marked),
        )
