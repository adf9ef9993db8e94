"""Fields of models: their words, and what is invalid about a row; the same at every door."""

from collections.abc import Iterable
from typing import Any, cast

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import Field, Model
from django.utils.text import capfirst


def field_of(model: type[Model], name: str) -> "Field[Any, Any]":
    """Return a column's field."""
    return cast("Field[Any, Any]", model._meta.get_field(name))


def label_of(model: type[Model], name: str) -> str:
    """Return a field's label, as on pages."""
    return capfirst(str(field_of(model, name).verbose_name))


def list_problems(row: Model, exclude: Iterable[str] = ()) -> list[str]:
    """Return everything that is invalid about a row, each problem after its field's label."""
    try:
        row.full_clean(exclude, validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        return [
            message if name == NON_FIELD_ERRORS else f"{label_of(type(row), name)}: {message}"
            for name, messages in error.message_dict.items()
            for message in messages
        ]
    return []
