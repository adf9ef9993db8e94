"""Error pages in the reader's language, with a link back."""

import sys
from functools import partial

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.cache import patch_vary_headers

from surveys.features import find_area
from surveys.operations.outages import RETRY_AFTER, is_outage
from surveys.web.rendering.contacts import find_contact

NOT_FOUND = 404


def answer_failed(request: HttpRequest) -> HttpResponse:
    """Return the page for a server error, without using anything that may have failed."""
    if not is_outage(sys.exc_info()[1]):
        return _answer(500, request)
    answer = _answer(503, request)
    answer["Retry-After"] = str(RETRY_AFTER)
    return answer


def _answer(
    status: int,
    request: HttpRequest,
    exception: object = None,
    *,
    reason: str = "",
    is_stale: bool = False,
) -> HttpResponse:
    """Return the page of a status; Django passes an exception or a reason, which is not shown."""
    area = find_area(request.path_info)
    page: dict[str, object] = {"is_stale": is_stale}
    if status == NOT_FOUND and not area:
        page["contact"] = find_contact(request)
    names = [f"{folder}/{status}.html" for folder in area.templates] if area else []
    with translation.override(_find_language(request, is_english=area is not None)):
        answer = HttpResponse(render_to_string([*names, f"{status}.html"], page), status=status)
    answer["Cache-Control"] = "no-store"
    patch_vary_headers(answer, ("Accept-Language",))
    return answer


answer_unreadable = partial(_answer, 400)
answer_forbidden = partial(_answer, 403)
answer_not_found = partial(_answer, 404)
answer_stale = partial(_answer, 403, is_stale=True)  # CSRF check: signed out elsewhere


def _find_language(request: HttpRequest, *, is_english: bool) -> str:
    """Return the study's language on its pages, else the browser's first choice."""
    active = translation.get_language() or settings.LANGUAGE_CODE
    if is_english or active != settings.LANGUAGE_CODE:
        return settings.LANGUAGE_CODE if is_english else active
    return translation.get_language_from_request(request)
