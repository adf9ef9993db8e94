"""The page that asks for confirmation of an action."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from surveys.models import Study


def ask_first(
    request: HttpRequest,
    study: Study | None = None,
    *,
    title: str,
    text: str,
    button: str,
    back: str,
    action: str = "",
    fields: dict[str, str] | None = None,
    is_grave: bool = True,
) -> HttpResponse:
    """Show the effect of an action, with a button to confirm and a link to cancel.

    Empty lines separate paragraphs of `text`. The button posts `fields` to `action`, or to the
    page's own URL if that is empty. It is red unless nothing is lost by the action.
    """
    page = {
        "base": "console/_base.html" if study is None else "console/_study.html",
        "study": study,
        "title": title,
        "text": text,
        "button": button,
        "back": back,
        "action": action,
        "fields": fields or {},
        "is_grave": is_grave,
    }
    return render(request, "console/confirm.html", page)
