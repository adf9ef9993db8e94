"""Framing policy: crowd-working sites may show the pages of their workers in a frame."""

from functools import lru_cache

from csp.constants import SELF
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse

from surveys.crowd.mturk.targets import list_enabled

FRAMED = ("mturk/", "survey/")  # the arrival page and all later pages


def allow_framing(request: HttpRequest, response: HttpResponse) -> None:
    """Let the enabled targets frame a page and receive its form.

    Pages that are not reached from a HIT keep the site's policy: they cannot be framed.
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
