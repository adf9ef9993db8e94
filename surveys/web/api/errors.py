"""Error responses: {"errors": [{"code", "message", …}]} with their status."""

import math
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from surveys.errors import SurveyError
from surveys.operations.outages import RETRY_AFTER, is_outage, log_outage

UNPROCESSABLE = 422


def answer_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to a view's exception; None if it is unexpected (500)."""
    set_rollback()
    if isinstance(error, SurveyError):
        context["request"]._request.refusal = type(error).__name__  # noqa: SLF001
        headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
        errors = [{"code": type(error).__name__, **problem} for problem in error.describe()]
        return Response({"errors": errors}, status=error.status, headers=headers)
    if isinstance(error, exceptions.ValidationError):
        return Response({"errors": list(_flatten(error.detail))}, status=UNPROCESSABLE)
    return _answer_refusal(_as_refusal(error))


def _as_refusal(error: Exception) -> Exception:
    if isinstance(error, Http404):
        return exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied()
    if isinstance(error, RequestDataTooBig):
        return TooLarge()
    if is_outage(error):
        log_outage(error)
        return Unavailable()
    return error


def _answer_refusal(error: Exception) -> Response | None:
    if not isinstance(error, exceptions.APIException):
        return None
    content = {"code": error.get_codes(), "message": str(error.detail)}
    headers = {}
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(math.ceil(wait) or 1)
    if header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = header
    return Response({"errors": [content]}, status=error.status_code, headers=headers)


class Unavailable(exceptions.APIException):
    """The database is unavailable."""

    status_code = 503
    default_detail = "The site cannot use its database now. Try again in a moment."
    default_code = "unavailable"
    wait = RETRY_AFTER


class TooLarge(exceptions.APIException):
    """The request is larger than the limit."""

    status_code = 413
    default_detail = "The request is too large."
    default_code = "too_large"


def _flatten(detail: Any, field: str = "") -> Iterator[dict[str, str]]:
    """Yield each message with its field, such as notes.3."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _flatten(inner, f"{field}.{name}".strip("."))
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            nested = isinstance(inner, dict | list)
            yield from _flatten(inner, f"{field}.{number}".strip(".") if nested else field)
    else:
        error = {"code": str(getattr(detail, "code", "invalid")), "message": str(detail)}
        yield {**error, "field": field} if field and field != "non_field_errors" else error
