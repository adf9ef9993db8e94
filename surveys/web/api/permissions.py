from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from surveys.access.api_tokens import allows
from surveys.models import ApiToken


class HasScope(BasePermission):
    """The request's token has the scope that its view asks for."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.auth, ApiToken):
            return False
        scope = scope_of(view, request.method)
        self.message = f"This token lacks the scope {scope}."
        return allows(request.auth, scope)


def scope_of(view: Any, method: str | None) -> str:
    """The scope for a method of a view: its own for it, else that for reading."""
    scopes: dict[str, str] = view.scopes
    return scopes.get(method or "", scopes["GET"]) if "GET" in scopes else scopes["POST"]
