"""Bearer-token authentication of the API."""

from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from surveys.access.api_tokens import find_token
from surveys.models import ApiToken


class TokenAuthentication(BaseAuthentication):
    """Authenticate by `Authorization: Bearer …` only; cookies are ignored."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _, key = request.headers.get("Authorization", "").strip().partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = find_token(key.strip()) if key.isprintable() else None
        if token is None:
            raise AuthenticationFailed("This token is unknown, revoked or expired.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """OpenAPI description of the authentication."""

    target_class = "surveys.web.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        where = (
            "Made under Tokens: by researchers in the console, by participants in their account."
        )
        return {"type": "http", "scheme": "bearer", "description": where}
