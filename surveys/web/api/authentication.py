"""Tokens of the API: who sends a request, and whether their token has the scope of a view."""

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from surveys.access.api_tokens import allows, find_token
from surveys.access.roles import is_limited
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


class HasScope(BasePermission):
    """Allow requests whose token has the scope of the view and method."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.auth, ApiToken):
            return False
        if is_limited(request.user) and not view.is_for_limited:  # type: ignore[attr-defined]
            self.message = "This token is of a limited account, which does not open this."
            return False
        scope = scope_of(view, request.method)
        self.message = f"This token lacks the scope {scope}."
        return allows(request.auth, scope)


def scope_of(view: Any, method: str | None) -> str:
    """Return the scope that a view's method needs."""
    return str(view.writes if is_writing(view, method) else view.reads)


def is_writing(view: Any, method: str | None) -> bool:
    """Return whether a method changes something; one that the view does not have cannot."""
    return method not in SAFE_METHODS and str(method).lower() in view.action_map
