"""Rate limits of API tokens."""

from typing import ClassVar, cast

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from surveys.models import ApiToken


class TokenThrottle(SimpleRateThrottle):
    """Limit all requests of a token within a minute, an hour or a day of the clock.

    They are counted by one number in the cache, which all servers of a site increase atomically.
    """

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
        key = self.get_cache_key(request, view)
        if key is None:
            return True
        limit, seconds = cast("tuple[int, int]", self.parse_rate(self.get_rate()))
        number, since = divmod(self.timer(), seconds)
        self._seconds_left = seconds - since
        return self._count(f"{key}-{number:.0f}", 2 * seconds) <= limit

    def wait(self) -> float:
        """Return the seconds after which the count of requests begins again."""
        return self._seconds_left

    def _count(self, key: str, timeout: int) -> int:
        self.cache.add(key, 0, timeout)
        try:
            return int(self.cache.incr(key))
        except ValueError:  # dropped in between, as when Redis was stopped
            return 1


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
