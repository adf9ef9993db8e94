"""Shared tasks that are made once in a process, and copied for each test that asks for one."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import FileField, Model, QuerySet

from surveys.sharedtasks.models import SharedTask

Make = Callable[..., SharedTask]
Rows = dict[type[Model], list[Model]]


def kept(make: Make) -> Make:
    """Decorate a function that makes a shared task, so that scores and boards are computed once.

    The first call in a process makes it; later ones with the same arguments insert copies of its
    rows, which have the same ids and name the same files. In a database that has other rows the
    shared task is made.
    """
    copies: dict[str, Rows] = {}

    @wraps(make)
    def copy_or_make(*args: Any, **fields: Any) -> SharedTask:
        key = repr((settings.MEDIA_ROOT, args, sorted(fields.items())))
        if key in copies and not _has_files(copies[key]):  # a test deleted files without rows
            del copies[key]
        models = copies.get(key, _list_models())
        if any(QuerySet(model).exists() for model in models):
            return make(*args, **fields)
        if key in copies:
            _insert(copies[key])
        else:
            make(*args, **fields)
            found = {model: list(QuerySet(model)) for model in models}
            copies[key] = {model: rows for model, rows in found.items() if rows}
        return SharedTask.objects.get()

    return copy_or_make


def _has_files(rows: Rows) -> bool:
    """Return whether all files that rows name are there."""
    files = [
        field.value_from_object(row)
        for model, of_model in rows.items()
        for field in model._meta.get_fields()
        if isinstance(field, FileField)
        for row in of_model
    ]
    return all(file.storage.exists(file.name) for file in files if file)


def _list_models() -> Iterable[type[Model]]:
    """Return the models of all tables that an empty database of the site has no rows in."""
    every_model = apps.get_models(include_auto_created=True)
    return [User, *(model for model in every_model if model.__module__.startswith("surveys."))]


@transaction.atomic  # foreign keys are checked at its end
def _insert(rows: Rows) -> None:
    for model, of_model in rows.items():
        QuerySet(model).bulk_create(of_model)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(rows)):
            cursor.execute(statement)
