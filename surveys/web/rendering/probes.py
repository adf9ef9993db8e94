"""Answers to those who ask how the site is; and a limit to how long a page waits for it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from surveys.operations.health import FAILING, check_health
from surveys.operations.outages import ask_database
from surveys.operations.patience import waiting_at_most

NEED_NOTHING = {"annotate:index", "console:sign_in", "admin_sign_in"}
PATIENCE = 15.0  # seconds that a page waits for each answer of the database


class ProbeMiddleware:
    """Answers `/healthz` and `/readyz` before anything else of the site is asked.

    They are answered under every host name and without HTTPS, since load balancers and supervisors
    ask by address. They say nothing of what is stored. All else waits for the database for a time.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (probe := PROBES.get(request.path_info)) is None:
            with waiting_at_most(PATIENCE):
                return self.get_response(request)
        if request.method != "GET":
            answer = HttpResponse(status=405, headers={"Allow": "GET"})
        else:
            answer = probe()
        answer["Cache-Control"] = "no-store"
        return answer

    def process_view(self, request: HttpRequest, *view: object) -> None:
        """Ask the database for pages that would be shown without it, and lead nowhere."""
        found = request.resolver_match
        if request.method != "POST" and found and found.view_name in NEED_NOTHING:
            ask_database()


def _tell_life() -> HttpResponse:
    return JsonResponse({"status": "alive"})


def _tell_health() -> HttpResponse:
    health = check_health()
    return JsonResponse(health._asdict(), status=503 if health.status == FAILING else 200)


PROBES: dict[str, Callable[[], HttpResponse]] = {"/healthz": _tell_life, "/readyz": _tell_health}
