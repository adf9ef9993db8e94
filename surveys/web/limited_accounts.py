"""Middleware that keeps limited accounts out of the console and the admin."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from surveys.access.roles import find_home


class LimitedAccountMiddleware(MiddlewareMixin):
    """Refuse limited accounts at every address of the console and the admin, before its view.

    An address without a view is not found without a query.
    """

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        if not request.path_info.startswith(_closed_addresses()):
            return None
        if (home := find_home(request)) is None:
            return None
        answer = render(request, "console/closed.html", {"home": home}, status=403)
        answer["Cache-Control"] = "private, no-store"
        return answer


@cache
def _closed_addresses() -> tuple[str, str]:
    return reverse("console:studies"), reverse("admin:index")
