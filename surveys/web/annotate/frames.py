"""Framing policy: crowd-working sites may show the pages of their workers in a frame."""

from functools import lru_cache

from csp.constants import SELF
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from surveys.crowd.mturk.targets import list_enabled

FRAMED = ("mturk/", "survey/")  # the arrival page and all later pages


def allow_framing(request: HttpRequest, response: HttpResponse) -> None:
    """Let the enabled targets frame a page and receive its form.

    Pages that are not reached from a HIT keep the site's policy: they cannot be framed.
    """
    found = request.resolver_match
    if found is None or not found.route.startswith(FRAMED):
        return
    if policy := _framed_policy(settings.MTURK_SIMULATOR_URL, settings.MTURK_IS_LIVE):
        response["Content-Security-Policy"] = policy
        response.xframe_options_exempt = True


@lru_cache
def _framed_policy(simulator: str, is_live: bool) -> str:
    """Return the policy of a page in the frames of the enabled targets; empty without any."""
    if not (targets := list_enabled()):
        return ""
    worker_sites = tuple(target.worker_site for target in targets)
    submit_hosts = tuple(target.submit_host for target in targets)
    return build_policy(
        replace={"frame-ancestors": worker_sites, "form-action": (SELF, *submit_hosts)}
    )
