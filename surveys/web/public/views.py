"""Public pages, which need no sign-in: the explorer of a published release."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from surveys.query_params import LARGEST
from surveys.results.inspection.public_page import read_public_page
from surveys.web.rendering.sandboxed import answer_sandboxed


@require_safe
@cache_control(no_cache=True)  # closing it takes effect at once
def release(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the explorer of a release whose public page is open."""
    page = read_public_page(slug, number) if number <= LARGEST else None
    if page is None:
        raise Http404
    return answer_sandboxed(page, with_script=True)
