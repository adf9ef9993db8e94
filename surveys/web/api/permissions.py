"""Token scopes of API views."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from surveys.access.api_tokens import allows
from surveys.models import ApiToken


class HasScope(BasePermission):
    """Allow requests whose token has the scope of the view and method."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.auth, ApiToken):
            return False
        scope = scope_of(view, request.method)
        self.message = f"This token lacks the scope {scope}."
        return allows(request.auth, scope)


def scope_of(view: Any, method: str | None) -> str:
    """Return the scope of a view's method: its own, else that of GET."""
    scopes: dict[str, str] = view.scopes
    return scopes.get(method or "", scopes["GET"]) if "GET" in scopes else scopes["POST"]
