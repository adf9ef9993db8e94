"""Cursor pagination, stable while rows are added."""

import base64
import binascii
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from surveys.query_params import LARGEST, read_number

PAGE_SIZE, MAX_PAGE_SIZE = 100, 1000
LIMIT = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": PAGE_SIZE}
PAGE_PARAMETERS = [
    OpenApiParameter("limit", LIMIT, description="rows per page"),
    OpenApiParameter("cursor", str, description="start of the page; taken from next"),
]


class Page(NamedTuple):
    """The rows of a page and the URL of the next page."""

    rows: list[Any]
    next: str | None

    def write(self, row_serializer: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """Return the page as response data."""
        return {"next": self.next, "results": row_serializer(self.rows, many=True).data}


def describe_page(row_serializer: type[serializers.Serializer[Any]]) -> Any:
    """Return the serializer that describes a page of rows in the schema."""
    name = row_serializer.__name__.removesuffix("Serializer")
    return inline_serializer(
        f"{name}Page",
        {
            "next": serializers.URLField(allow_null=True, help_text="URL of the next page"),
            "results": row_serializer(many=True),
        },
    )


def paginate(rows: QuerySet[Any], request: Request, *keys: str) -> Page:
    """Return the requested page of rows ordered by one or two integer keys.

    The keys are unique together; rows that are tuples begin with them. The cursor holds the keys
    of the row before the page, so each row is listed once even if rows are added meanwhile, and
    the last page is as fast as the first. Raises ValidationError or NotFound.
    """
    size = _read_size(request.query_params.get("limit"))
    cursor = request.query_params.get("cursor")
    if cursor is not None:
        rows = rows.filter(_after(keys, _read_cursor(cursor, len(keys))))
    listed = list(rows.order_by(*keys)[: size + 1])
    if len(listed) <= size:
        return Page(listed, None)
    end = listed[size - 1]
    values = end if isinstance(end, tuple) else [getattr(end, key) for key in keys]
    return Page(listed[:size], _write_next(request, values[: len(keys)]))


def paginate_list(rows: Sequence[Any], request: Request) -> Page:
    """Return the requested page of rows that are stored together, in their order.

    The cursor holds the number of rows before the page. Raises ValidationError or NotFound.
    """
    size = _read_size(request.query_params.get("limit"))
    cursor = request.query_params.get("cursor")
    (begin,) = _read_cursor(cursor, 1) if cursor is not None else [0]
    end = begin + size
    listed = list(rows[begin:end])
    return Page(listed, _write_next(request, [end]) if end < len(rows) else None)


def read_filters(request: Request) -> dict[str, Any]:
    """Return a list's query parameters other than pagination."""
    parameters = request.query_params.items()
    return {name: text for name, text in parameters if name not in ("limit", "cursor")}


def _write_next(request: Request, values: Iterable[int]) -> str:
    """Return the URL of the page after the row with these keys."""
    last = ".".join(str(value) for value in values)
    cursor = base64.urlsafe_b64encode(last.encode()).decode().rstrip("=")
    return replace_query_param(request.build_absolute_uri(), "cursor", cursor)


def _after(keys: tuple[str, ...], last: list[int]) -> Q:
    if len(keys) == 1:
        return Q(**{f"{keys[0]}__gt": last[0]})
    before = Q(**{keys[0]: last[0], f"{keys[1]}__lte": last[1]})
    return Q(**{f"{keys[0]}__gte": last[0]}) & ~before


def _read_size(text: str | None) -> int:
    if text is None:
        return PAGE_SIZE
    size = read_number(text, MAX_PAGE_SIZE) if text.isascii() else None
    if not size:
        raise ValidationError({"limit": f"A whole number from 1 to {MAX_PAGE_SIZE}."})
    return size


def _read_cursor(text: str, n_numbers: int) -> list[int]:
    try:
        written = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4)).decode("ascii")
        numbers = [int(part) for part in written.split(".")]
    except (binascii.Error, ValueError):
        numbers = []
    if len(numbers) != n_numbers or not all(0 <= number <= LARGEST for number in numbers):
        raise NotFound("This page does not exist: copy the cursor from `next` unchanged.")
    return numbers
