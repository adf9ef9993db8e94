"""Read-only admin pages for operators: one list for each table, built from its fields."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG
from django.contrib.auth.models import User
from django.db import DataError
from django.db.models import BinaryField, Field, JSONField, Model, TextField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from surveys.models import Study

LONG = (BinaryField, JSONField, TextField)
NAMED = (Study, User)  # other rows are listed by their ids, which need no joins


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A list and a page per row; nothing can be added, changed or deleted."""

    show_full_result_count = False  # some tables have millions of rows

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the list, or Django's error page if a filter's value fits no column."""
        try:
            return super().changelist_view(request, extra_context)
        except (DataError, OverflowError):
            return redirect(f"{request.path}?{ERROR_FLAG}=1")


class PersonalAdmin(ReadOnlyAdmin):
    """Pages with personal data: for operators (superusers), not for other staff."""

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_active and getattr(request.user, "is_superuser", False))


def list_tables(package: str) -> list[type[Model]]:
    """Return the tables that are defined in a package."""
    return [
        model for model in apps.get_models() if f"{model.__module__}.".startswith(f"{package}.")
    ]


def register_read_only(
    models: Iterable[type[Model]],
    *,
    unlisted: Set[type[Model]] = frozenset(),
    personal: Set[type[Model]] = frozenset(),
    hidden: Mapping[type[Model], tuple[str, ...]] | None = None,
) -> None:
    """Give tables read-only pages, without the unlisted tables and the hidden fields.

    Only superusers see the personal ones.
    """
    for model in models:
        if model not in unlisted:
            kind = PersonalAdmin if model in personal else ReadOnlyAdmin
            admin.site.register(model, kind, **_make_options(model, (hidden or {}).get(model, ())))


def _make_options(model: type[Model], exclude: tuple[str, ...]) -> dict[str, Any]:
    """Return the columns and filters of a table's list."""
    shown = [field for field in model._meta.concrete_fields if field.name not in exclude]
    columns = [field for field in shown if not isinstance(field, LONG)]
    named = [field.name for field in columns if field.related_model in NAMED]
    return {
        "exclude": exclude,
        "list_display": [f.name if f.name in named else f.attname for f in columns],
        "list_filter": [field.name for field in columns if _is_filter(field)],
        "list_select_related": named or False,
    }


def _is_filter(field: "Field[Any, Any]") -> bool:
    """Return whether a list can be filtered by a field: few values, or the study."""
    return bool(field.choices) or field.name.startswith(("is_", "has_")) or field.name == "study"
