"""What every list and page of the admin keeps to: it shows, and changes nothing."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG
from django.db import DataError
from django.db.models import Func, Model, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list; where no database can hold what is asked for, it says so as Django does."""
        try:
            return super().changelist_view(request, extra_context)
        except (DataError, OverflowError):
            return redirect(f"{request.path}?{ERROR_FLAG}=1")


class PersonalAdmin(ReadOnlyAdmin):
    """What tells who people are: for operators, who own every study, and no other staff."""

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_active and getattr(request.user, "is_superuser", False))


def count_rows(rows: QuerySet[Any]) -> Subquery:
    """How many there are, by a query of its own: joins of several counts would multiply."""
    return Subquery(rows.order_by().values(n=Func("pk", function="COUNT")))
