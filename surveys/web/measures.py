"""What Prometheus reads at `/metrics`, and how each response is counted."""

from collections.abc import Callable
from http import HTTPStatus
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from surveys.operations.metrics import count_response, write_metrics

ADDRESS = "/metrics"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class MeasureMiddleware:
    """Answer `/metrics` to whoever has the token, under every host name; count other responses."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == ADDRESS:
            return _answer_metrics(request)
        began = perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        refusal = _name_refusal(request, response)
        page = match.view_name if match else "none"
        count_response(page, response.status_code, perf_counter() - began, refusal)
        return response


def _name_refusal(request: HttpRequest, response: HttpResponse) -> str:
    """Return the name of the error that a request was refused with, or of its status; or ""."""
    if not 400 <= response.status_code < 500:
        return ""
    named = getattr(request, "refusal", "")
    return named or HTTPStatus(response.status_code).phrase


def _answer_metrics(request: HttpRequest) -> HttpResponse:
    given = request.headers.get("Authorization", "")
    if not constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}"):
        refused = HttpResponse("The token METRICS_TOKEN is needed.\n", status=401)
        refused.headers["WWW-Authenticate"] = "Bearer"
        return refused
    answer = HttpResponse(write_metrics(), content_type=CONTENT_TYPE)
    answer.headers["Cache-Control"] = "no-store"
    return answer
