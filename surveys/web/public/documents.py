"""The documentation, which needs no sign-in."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from surveys.web.rendering.documents import (
    PICTURES,
    START,
    list_documents,
    list_pictures,
    read_document,
)


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Redirect to the start page of the documentation."""
    return redirect("docs:document", START)


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show a document, or a picture of one."""
    if picture := list_pictures().get(name):
        return FileResponse(picture.open("rb"), content_type=PICTURES[picture.suffix])
    path = list_documents().get(name)
    if path is None:
        raise Http404
    page = {"document": read_document(path), "start": START, "is_start": name == START}
    return render(request, "public/document.html", page)
