"""The page that asks for a confirmation before an act that one click must not do."""

from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from surveys.models import Study


@dataclass(frozen=True)
class Question:
    """What an act would do, and where its button and the way back lead.

    `text` has an empty line between paragraphs. `action` is the address that the button posts to:
    empty for that of the page itself.
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
    """Show what an act would do, with one button that does it and a link that does not."""
    base = "console/_base.html" if study is None else "console/_study.html"
    page = {"base": base, "study": study, "question": question}
    return render(request, "console/confirm.html", page)
