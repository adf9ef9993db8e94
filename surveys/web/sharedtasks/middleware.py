"""Middleware that keeps participants of shared tasks out of the console and the admin."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from surveys.access.roles import is_session_of_participant


class ParticipantMiddleware(MiddlewareMixin):
    """Refuse participants at every address of the console and the admin, before its view.

    An address without a view is not found without a query.
    """

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        is_closed = request.path_info.startswith(_closed_addresses())
        if not (is_closed and is_session_of_participant(request)):
            return None
        answer = render(request, "sharedtasks/closed.html", status=403)
        answer["Cache-Control"] = "private, no-store"
        return answer


@cache
def _closed_addresses() -> tuple[str, str]:
    return reverse("console:studies"), reverse("admin:index")
