"""Rate limits of API tokens."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from django.conf import settings
from django.core.files import locks
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from surveys.models import ApiToken


@contextmanager
def counting_lock() -> Iterator[None]:
    """Hold the lock under which this machine counts requests.

    DRF reads its list of times from the cache and writes it back longer: without a lock, only one
    of two simultaneous requests was counted.
    """
    with (settings.VAR_DIR / "throttles.lock").open("ab") as held:
        locks.lock(held, locks.LOCK_EX)
        yield  # closing the file unlocks it


class TokenThrottle(SimpleRateThrottle):
    """Limit all requests of a token."""

    scope = "all"

    def get_rate(self) -> str:
        rate: str = settings.API_RATES[self.scope]
        return rate

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        if not isinstance(request.auth, ApiToken):
            return None
        return f"api-{self.scope}-{request.auth.pk}"

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count a request and return whether the rate allows it."""
        with counting_lock():
            is_allowed: bool = super().allow_request(request, view)
        return is_allowed


class CreatingThrottle(TokenThrottle):
    """Limit the POST requests of a token."""

    scope = "creating"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return super().get_cache_key(request, view) if request.method == "POST" else None


class ExportingThrottle(TokenThrottle):
    """Limit the exports of a token."""

    scope = "exporting"
    exports: ClassVar = {
        "responses_csv", "responses_parquet", "run_files", "release_files", "ledger", "comparison",
        "differences", "board",
    }  # fmt: skip

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        is_export = view.action_name in self.exports  # type: ignore[attr-defined]
        return super().get_cache_key(request, view) if is_export else None
