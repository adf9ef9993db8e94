from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.files import locks
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from surveys.models import ApiToken


@contextmanager
def counting() -> Iterator[None]:
    """Let no other request on this machine be counted meanwhile.

    The original reads its list of instants from the cache, and writes it back longer: of two
    requests at once only one was counted.
    """
    with (settings.VAR_DIR / "throttles.lock").open("ab") as held:
        locks.lock(held, locks.LOCK_EX)
        yield  # closing the file unlocks it


class TokenThrottle(SimpleRateThrottle):
    """How often a token may ask: for anything."""

    scope = "all"

    def get_rate(self) -> str:
        rate: str = settings.API_RATES[self.scope]
        return rate

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        if not isinstance(request.auth, ApiToken):
            return None
        return f"api-{self.scope}-{request.auth.pk}"

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count a request, exactly; whether it is one of those that the rate allows."""
        with counting():
            is_allowed: bool = super().allow_request(request, view)
        return is_allowed


class CreatingThrottle(TokenThrottle):
    """How often it may make something."""

    scope = "creating"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return super().get_cache_key(request, view) if request.method == "POST" else None


class ExportingThrottle(TokenThrottle):
    """How often it may have a whole file made."""

    scope = "exporting"
