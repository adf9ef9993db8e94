"""Middleware: content policy, form encoding, language, and error pages."""

from codecs import lookup
from collections.abc import Callable

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

from surveys.errors import SurveyError
from surveys.features import find_area
from surveys.web.annotate.frames import allow_framing
from surveys.web.rendering.contacts import find_contact


class ContentPolicyMiddleware(CSPMiddleware):
    """Set the content policy unless the response has one; Django's would build one to drop."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if HEADER in response:
            return response
        return super().process_response(request, response)


class ReadableFormMiddleware(MiddlewareMixin):
    """Refuse forms declared in an encoding other than UTF-8, which no browser sends here.

    Django does so for one of the two form types, and fails on codecs that are not for text.
    """

    def process_request(self, request: HttpRequest) -> None:
        is_form = request.content_type == "multipart/form-data"
        if is_form and request.encoding and lookup(request.encoding).name != "utf-8":
            raise BadRequest("forms must be in UTF-8")


class SurveyLanguageMiddleware:
    """Start every request in the site's language; annotator pages then use their study's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with translation.override(settings.LANGUAGE_CODE):
            return self.get_response(request)


class SurveyErrorMiddleware(MiddlewareMixin):
    """Turn a SurveyError into a page that says what to do and links back."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, SurveyError):
            return None
        request.refusal = type(error).__name__  # type: ignore[attr-defined]
        area = find_area(request.path_info)
        contact = "" if area else find_contact(request)
        page = {"error": error, "token": _find_survey(request), "contact": contact}
        folders = area.templates if area else ("annotate",)
        names = [f"{folder}/problem.html" for folder in folders]
        answer = render(request, names, page, status=error.status)
        answer["Cache-Control"] = "private, no-store"
        if error.retry_after is not None:
            answer["Retry-After"] = str(error.retry_after)
        allow_framing(request, answer)
        return answer


def _find_survey(request: HttpRequest) -> str | None:
    """Return the token of the requested page's assignment; None if no way back makes sense."""
    match = request.resolver_match
    if match is None or not match.route.startswith("survey/") or match.url_name == "next":
        return None
    return str(match.kwargs["token"])
