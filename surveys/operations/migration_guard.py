"""Guards of migrations: code and database must match, and no data is lost without consent."""

import logging
import pkgutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from django.apps.registry import Apps
from django.core.exceptions import FieldDoesNotExist
from django.core.management.base import CommandError
from django.db import OperationalError, connection
from django.db.migrations.migration import Migration
from django.db.migrations.operations import (
    AddField,
    CreateModel,
    RenameField,
    RenameModel,
    SeparateDatabaseAndState,
)
from django.db.migrations.operations.base import Operation
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from surveys.errors import DatabaseTooNew, DatabaseTooOld
from surveys.operations.migration_steps import is_squashed

APP = "surveys"
Plan = Iterable[tuple[Migration, bool]]
log = logging.getLogger(__name__)


def refuse_newer_database() -> None:
    """Raise DatabaseTooNew if newer code has migrated the database.

    A squashed one that this code does not have says nothing: those it replaces are recorded.
    """
    if unknown := sorted(name for name in _applied() - _on_disk() if not is_squashed(name)):
        raise DatabaseTooNew(
            "The database is newer than this code, which does not have the migration "
            f"{unknown[-1]}. Install the version that has it, or restore an earlier backup."
        )


def refuse_older_database() -> None:
    """Raise DatabaseTooOld if migrations of this code are not applied.

    A squashed one counts as applied if those it replaces are.
    """
    if pending := sorted(name for name in _on_disk() - _applied() if not is_squashed(name)):
        raise DatabaseTooOld(
            f"The database is older than this code: migrations not applied: {len(pending)}, from "
            f"{pending[0]}. Make a backup, then run `manage.py migrate`."
        )


def check_at_start() -> None:
    """Refuse to start with a newer database; log an older or unreachable one.

    Raises SystemExit with the reason.
    """
    try:
        refuse_newer_database()
        refuse_older_database()
    except DatabaseTooNew as error:
        raise SystemExit(str(error)) from error
    except DatabaseTooOld as error:
        log.error("%s", error)
    except OperationalError:
        log.warning("The database does not respond; its migrations were not checked.")
    finally:
        connection.close()


def refuse_losses(plan: Plan, apps: Apps) -> None:
    """Raise CommandError with the data that would be lost if a plan migrates back.

    `apps` are the models before the plan.
    """
    losses = list(_find_losses(plan, apps))
    if losses:
        raise CommandError(
            f"Migrating back would lose {'; '.join(losses)}. Nothing was changed. Make a backup "
            "(manage.py backup), then use --drop-data to lose it."
        )


def _applied() -> set[str]:
    recorder = MigrationRecorder(connection)
    return {name for app, name in recorder.applied_migrations() if app == APP}


def _on_disk() -> set[str]:
    package = import_module(f"{APP}.migrations")
    return {module.name for module in pkgutil.iter_modules(package.__path__)}


def _find_losses(plan: Plan, apps: Apps) -> Iterator[str]:
    """Yield the data that each reversed operation of a plan would drop, latest first."""
    names = _CurrentNames()
    dropped: set[type[Model]] = set()
    for migration, is_backwards in plan:
        if not is_backwards:
            continue
        for operation in _operations_of(reversed(migration.operations)):
            label = migration.app_label
            names.follow(label, operation)
            if isinstance(operation, CreateModel):
                model = names.find_model(apps, label, operation.name)
                if model is not None and (n_rows := model._meta.base_manager.count()):
                    dropped.add(model)
                    yield f"{n_rows} rows of {model._meta.db_table}"
            elif isinstance(operation, AddField):
                model = names.find_model(apps, label, operation.model_name)
                field = names.find_field(label, operation)
                if model is not None and model not in dropped and (n := _count_set(model, field)):
                    yield f"{field} in {n} rows of {model._meta.db_table}"


def _operations_of(operations: Iterable[Operation]) -> Iterator[Operation]:
    """Yield operations, latest first, including those wrapped in another."""
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from _operations_of(reversed(operation.database_operations))
        else:
            yield operation


class _CurrentNames:
    """Current names of models and fields that have been renamed since their creation."""

    def __init__(self) -> None:
        self.models: dict[tuple[str, str], str] = {}
        self.fields: dict[tuple[str, str, str], str] = {}

    def follow(self, label: str, operation: Operation) -> None:
        """Record a renaming while going backwards."""
        if isinstance(operation, RenameModel):
            now = self._model_name(label, operation.new_name)
            self.models[label, operation.old_name.lower()] = now
        elif isinstance(operation, RenameField):
            model = self._model_name(label, operation.model_name)
            now = self.fields.get((label, model, operation.new_name), operation.new_name)
            self.fields[label, model, operation.old_name] = now

    def find_model(self, apps: Apps, label: str, name: str) -> type[Model] | None:
        """Return the current model, or None if it was removed."""
        try:
            return apps.get_model(label, self._model_name(label, name))
        except LookupError:
            return None

    def find_field(self, label: str, operation: AddField) -> str:
        """Return the current name of a field."""
        model = self._model_name(label, operation.model_name)
        return self.fields.get((label, model, operation.name), operation.name)

    def _model_name(self, label: str, name: str) -> str:
        return self.models.get((label, name.lower()), name.lower())


def _count_set(model: type[Model], name: str) -> int:
    """Return the number of rows in which a field does not have its default."""
    try:
        field: Any = model._meta.get_field(name)
    except FieldDoesNotExist:  # removed by a later migration
        return 0
    rows = model._meta.base_manager.all()
    if field.many_to_many:
        return int(field.remote_field.through._meta.base_manager.count())
    rows = rows.exclude(**{f"{name}__isnull": True})
    if field.get_default() is not None:
        rows = rows.exclude(**{name: field.get_default()})
    return rows.count()
