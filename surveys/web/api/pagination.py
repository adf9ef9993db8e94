"""Pages of long lists, by cursors that stay right while rows are added."""

import base64
import binascii
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from surveys.query_params import LARGEST, read_number

ROWS_A_PAGE, MOST_A_PAGE = 100, 1000
LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST_A_PAGE, "default": ROWS_A_PAGE}
PAGE_PARAMETERS = [
    OpenApiParameter("limit", LIMIT, description="rows a page"),
    OpenApiParameter("cursor", str, description="where to go on; next has it"),
]


class Page(NamedTuple):
    """Some rows in their order, and the address of those after them."""

    rows: list[Any]
    next: str | None

    def write(self, row_serializer: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """The page as it is answered."""
        return {"next": self.next, "results": row_serializer(self.rows, many=True).data}


def describe_page(row_serializer: type[serializers.Serializer[Any]]) -> Any:
    """How the schema describes a page of such rows."""
    name = row_serializer.__name__.removesuffix("Serializer")
    return inline_serializer(
        f"{name}Page",
        {
            "next": serializers.URLField(allow_null=True, help_text="the page after"),
            "results": row_serializer(many=True),
        },
    )


def paginate(rows: QuerySet[Any], request: Request, *keys: str) -> Page:
    """The page that a request asks for of rows in the order of one or two whole numbers.

    Together these are unique; rows that are tuples begin with them. The cursor is those of the
    last row before, so that each row comes once, however many are added meanwhile, and the last
    page is as quick as the first. Raises ValidationError or
    NotFound.
    """
    size = _read_size(request.query_params.get("limit"))
    cursor = request.query_params.get("cursor")
    if cursor is not None:
        rows = rows.filter(_after(keys, _read_cursor(cursor, len(keys))))
    found = list(rows.order_by(*keys)[: size + 1])
    if len(found) <= size:
        return Page(found, None)
    end = found[size - 1]
    values = end if isinstance(end, tuple) else [getattr(end, key) for key in keys]
    last = ".".join(str(value) for value in values[: len(keys)])
    cursor = base64.urlsafe_b64encode(last.encode()).decode().rstrip("=")
    return Page(found[:size], replace_query_param(request.build_absolute_uri(), "cursor", cursor))


def read_filters(request: Request) -> dict[str, Any]:
    """What the query of a list asks for beside the page."""
    asked = request.query_params.items()
    return {name: text for name, text in asked if name not in ("limit", "cursor")}


def _after(keys: tuple[str, ...], last: list[int]) -> Q:
    if len(keys) == 1:
        return Q(**{f"{keys[0]}__gt": last[0]})
    same = Q(**{keys[0]: last[0], f"{keys[1]}__lte": last[1]})
    return Q(**{f"{keys[0]}__gte": last[0]}) & ~same


def _read_size(text: str | None) -> int:
    if text is None:
        return ROWS_A_PAGE
    size = read_number(text, MOST_A_PAGE) if text.isascii() else None
    if not size:
        raise ValidationError({"limit": f"A whole number from 1 to {MOST_A_PAGE}."})
    return size


def _read_cursor(text: str, n_numbers: int) -> list[int]:
    try:
        written = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4)).decode("ascii")
        numbers = [int(part) for part in written.split(".")]
    except (binascii.Error, ValueError):
        numbers = []
    if len(numbers) != n_numbers or not all(0 <= number <= LARGEST for number in numbers):
        raise NotFound("There is no such page: take the cursor from `next`, as it is.")
    return numbers
