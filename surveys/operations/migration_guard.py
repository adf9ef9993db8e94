"""Refuse databases and backups that another version of Cosima made."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core import checks
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations import (
    AddField,
    AlterModelManagers,
    AlterModelOptions,
    CreateModel,
)
from django.db.migrations.operations.base import Operation
from django.db.migrations.recorder import MigrationRecorder

from surveys.errors import DatabaseNotMigrated, DatabaseOfOtherVersion

log = logging.getLogger(__name__)


def refuse_other_version(recorded: Iterable[tuple[str, str]]) -> None:
    """Raise DatabaseOfOtherVersion if an installed app's recorded migration is not on disk.

    `recorded` are apps' labels with names of migrations.
    """
    installed = {app.label for app in apps.get_app_configs()}
    if unknown := sorted({row for row in recorded if row[0] in installed} - _on_disk()):
        raise DatabaseOfOtherVersion(
            "The database was made by another version of Cosima (its migration "
            f"{'.'.join(unknown[-1])} is unknown here). Databases from before 0.1.0 cannot be "
            "upgraded: export what you need with the version that made it, then begin with an "
            "empty database (DATABASE_URL, VAR_DIR). If a newer version made it, install that "
            "version or restore an earlier backup."
        )


def refuse_unfit_database() -> None:
    """Raise DatabaseOfOtherVersion, or DatabaseNotMigrated if migrations are not applied."""
    recorded = read_recorded()
    refuse_other_version(recorded)
    if pending := sorted(_on_disk() - recorded):
        raise DatabaseNotMigrated(
            f"The database is older than this code: migrations not applied: {len(pending)}, from "
            f"{'.'.join(pending[0])}. Make a backup, then run `manage.py migrate`."
        )


def check_at_start() -> None:
    """Refuse to start with another version's database; log one not migrated or unreachable.

    Raises SystemExit with the reason.
    """
    try:
        refuse_unfit_database()
    except DatabaseOfOtherVersion as error:
        raise SystemExit(str(error)) from error
    except DatabaseNotMigrated as error:
        log.error("%s", error)
    except OperationalError:
        log.warning("The database does not respond; its migrations were not checked.")
    finally:
        connection.close()


@checks.register(checks.Tags.database)
def check_version(databases: Any = None, **_chosen: Any) -> list[checks.CheckMessage]:
    """Find a database of another version before `manage.py migrate` changes it."""
    try:
        refuse_other_version(read_recorded() if databases else ())
    except DatabaseOfOtherVersion as error:
        return [checks.Error(str(error), id="surveys.E003")]
    return []


@checks.register
def check_apps_off(**_chosen: Any) -> list[checks.CheckMessage]:
    """Find rows of apps that are switched off."""
    with_rows = []
    with suppress(DatabaseError):  # reported elsewhere
        off = (app for app in settings.ALL_APPS if app not in settings.APPS)
        with_rows = [app for app in off if _has_rows(app)]
    return [
        checks.Warning(
            f"{app} is not in APPS, but the database has its rows: nobody sees them, none is "
            "dropped after its retention period, and what they refer to cannot be deleted.",
            hint=f"Add {app} to APPS. To delete its rows, run manage.py migrate {app} zero first.",
            id="surveys.W002",
        )
        for app in with_rows
    ]


def _has_rows(app: str) -> bool:
    """Return whether a table of an app, installed or not, has a row."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith(f"{app}_"):
                cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608  # nosec B608
                if cursor.fetchone():
                    return True
    return False


def find_stopping_operations() -> list[str]:
    """Describe the pending operations during or after which an earlier version cannot serve."""
    executor = MigrationExecutor(connection)
    made: set[str] = set()  # models that no earlier version knows
    stopping = []
    for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes()):
        for operation in migration.operations:
            name = getattr(operation, "model_name", "") or getattr(operation, "name", "")
            model = f"{migration.app_label}.{name.lower()}"
            if isinstance(operation, CreateModel):
                made.add(model)
            elif model not in made and not _is_gentle(operation):
                stopping.append(f"{migration}: {operation.describe()}")
    return stopping


def _is_gentle(operation: Operation) -> bool:
    """Return whether it takes no time, and an earlier version neither reads nor misses it."""
    if isinstance(operation, AddField):
        field = operation.field
        return bool(field.null or field.many_to_many or field.has_db_default())
    return isinstance(operation, (AlterModelManagers, AlterModelOptions))


def read_recorded() -> set[tuple[str, str]]:
    """Return the migrations that are recorded in the database, none if it has no tables."""
    return set(MigrationRecorder(connection).applied_migrations())


def _on_disk() -> set[tuple[str, str]]:
    return {
        (app.label, path.stem)
        for app in apps.get_app_configs()
        for path in Path(app.path, "migrations").glob("[!_~]*.py")
    }
