"""Token scopes of API views."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from surveys.access.api_tokens import allows
from surveys.access.roles import is_limited
from surveys.models import ApiToken


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
