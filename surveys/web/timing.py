"""The instant at which a request began, which decides whether it is in time."""

from datetime import UTC, datetime

from django.http import HttpRequest
from django.utils import timezone

BEGAN = "cosima.began"  # as `annotation_site.gateway` sets it


def began_at(request: HttpRequest) -> datetime:
    """Return when the head of a request arrived; without the gateway the time now."""
    began = request.META.get(BEGAN)
    return datetime.fromtimestamp(began, UTC) if began is not None else timezone.now()
