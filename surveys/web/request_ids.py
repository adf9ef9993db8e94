"""An id for each request: in its answer, and in the lines that it logs."""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")


class RequestIdMiddleware:
    """Give each request the id that its proxy sent, if that is a UUID, or a new one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        own = uuid4().hex
        if given := request.META.get("HTTP_X_REQUEST_ID"):
            with suppress(ValueError):  # what clients made up is not logged
                own = str(UUID(given)) if "-" in given else UUID(given).hex
        token = REQUEST_ID.set(own)
        try:
            response = self.get_response(request)
        finally:
            REQUEST_ID.reset(token)
        response.headers[HEADER] = own
        return response
