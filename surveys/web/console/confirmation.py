"""The page that asks for confirmation of an action."""

from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from surveys.models import Study


@dataclass(frozen=True)
class Question:
    """The effect of an action, its button and the link back.

    Empty lines separate paragraphs of `text`. The button posts `fields` to `action`, or to the
    page's own URL if that is empty.
    """

    title: str
    text: str
    button: str
    back: str
    action: str = ""
    fields: dict[str, str] = field(default_factory=dict)


def ask_first(
    request: HttpRequest, question: Question, *, study: Study | None = None
) -> HttpResponse:
    """Show the effect of an action, with a button to confirm and a link to cancel."""
    base = "console/_base.html" if study is None else "console/_study.html"
    page = {"base": base, "study": study, "question": question}
    return render(request, "console/confirm.html", page)
