from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from surveys.models import ApiToken


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


class CreatingThrottle(TokenThrottle):
    """How often it may make something."""

    scope = "creating"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return super().get_cache_key(request, view) if request.method == "POST" else None


class ExportingThrottle(TokenThrottle):
    """How often it may have a whole file made."""

    scope = "exporting"
