"""Framing policy: crowd-working sites may show the pages of their workers in a frame."""

from functools import lru_cache

from csp.constants import SELF
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse

from surveys.features import load_objects


def allow_framing(request: HttpRequest, response: HttpResponse) -> None:
    """Let the sites that apps name frame a page and receive its form.

    Pages that are not reached from a HIT keep the site's policy: they cannot be framed.
    """
    match = request.resolver_match
    if match is None or not ("reservation" in match.kwargs or match.route.startswith("survey/")):
        return  # neither the page of arrival nor a later page
    sites = [pair for list_frames in load_objects("frames") for pair in list_frames().items()]
    if sites:
        response["Content-Security-Policy"] = _framed_policy(tuple(sites))
        response.xframe_options_exempt = True


@lru_cache
def _framed_policy(sites: tuple[tuple[str, str], ...]) -> str:
    """Return the policy of a page in the frames of sites, whose forms other hosts receive."""
    framing, receiving = zip(*sites, strict=True)
    return build_policy(replace={"frame-ancestors": framing, "form-action": (SELF, *receiving)})
