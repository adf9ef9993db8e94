"""Health probes, and a limit on how long a page waits for the database."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from surveys.access.client_address import warn_of_proxies
from surveys.operations.health import FAILING, check_health
from surveys.operations.outages import ask_database
from surveys.operations.patience import limiting_queries

NEED_NOTHING = {"annotate:index", "console:sign_in", "admin_sign_in"}
log = logging.getLogger(__name__)
PATIENCE = 15.0  # seconds per database query


class ProbeMiddleware:
    """Answer `/healthz` and `/readyz` before any other middleware; limit database waits.

    The first request through a proxy that is not trusted is logged.

    Probes are answered under every host name and without HTTPS, since load balancers and
    supervisors use addresses. They reveal nothing that is stored.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.has_checked_proxy = False

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not self.has_checked_proxy and "HTTP_X_FORWARDED_FOR" in request.META:
            self.has_checked_proxy = True  # once in a process
            if warning := warn_of_proxies(request):
                log.warning("%s", warning)
        if (probe := PROBES.get(request.path_info)) is None:
            with limiting_queries(PATIENCE):
                return self.get_response(request)
        if request.method != "GET":
            answer = HttpResponse(status=405, headers={"Allow": "GET"})
        else:
            answer = probe()
        answer["Cache-Control"] = "no-store"
        return answer

    def process_view(self, request: HttpRequest, *view: object) -> None:
        """Query the database for pages that need none but link to pages that do."""
        match = request.resolver_match
        if request.method != "POST" and match and match.view_name in NEED_NOTHING:
            ask_database()


def _answer_alive() -> HttpResponse:
    return JsonResponse({"status": "alive"})


def _answer_health() -> HttpResponse:
    health = check_health()
    return JsonResponse(health._asdict(), status=503 if health.status == FAILING else 200)


PROBES: dict[str, Callable[[], HttpResponse]] = {
    "/healthz": _answer_alive,
    "/readyz": _answer_health,
}
