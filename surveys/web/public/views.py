"""Public pages, which need no sign-in: a published release's explorer, and the documentation."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from surveys.query_params import LARGEST
from surveys.results.inspection.public_page import read_public_page
from surveys.web.rendering.documents import (
    PICTURES,
    START,
    list_documents,
    list_pictures,
    read_document,
)
from surveys.web.rendering.sandboxed import answer_sandboxed


@require_safe
@cache_control(no_cache=True)  # closing it takes effect at once
def release(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the explorer of a release whose public page is open."""
    page = read_public_page(slug, number) if number <= LARGEST else None
    if page is None:
        raise Http404
    return answer_sandboxed(page, with_script=True)


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
