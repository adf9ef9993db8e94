"""Which pages may stand in a frame: those of who comes for a HIT, at the sites that show HITs."""

from functools import lru_cache

from csp.constants import SELF
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse

from surveys.crowd.mturk.targets import list_enabled

FRAMED = ("mturk/", "survey/")  # the arrival, and all that follows it


def let_frame(request: HttpRequest, response: HttpResponse) -> None:
    """Let the enabled targets show a page to their workers, and take what it hands in.

    Pages that nobody reaches from a HIT stay as they are: no other site frames them.
    """
    found, targets = request.resolver_match, list_enabled()
    if found is None or not found.route.startswith(FRAMED) or not targets:
        return
    response["Content-Security-Policy"] = _framed_policy(
        tuple(target.worker_site for target in targets),
        tuple(target.submit_host for target in targets),
    )
    response.xframe_options_exempt = True


@lru_cache
def _framed_policy(worker_sites: tuple[str, ...], submit_hosts: tuple[str, ...]) -> str:
    return build_policy(
        replace={"frame-ancestors": worker_sites, "form-action": (SELF, *submit_hosts)}
    )
