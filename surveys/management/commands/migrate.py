from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.apps.registry import Apps
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db.models.signals import pre_migrate

from surveys.errors import DatabaseTooNew
from surveys.operations.migration_guard import APP, Plan, refuse_losses, refuse_newer_database
from surveys.operations.migration_steps import StepExecutor, is_step


class Command(migrate.Command):
    """Django's command, which refuses to migrate back if data would be lost."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--drop-data", action="store_true", help="lose data when migrating back"
        )

    def handle(self, *args: Any, drop_data: bool = False, **options: Any) -> None:
        try:
            refuse_newer_database()
        except DatabaseTooNew as error:
            raise CommandError(str(error)) from error
        with ExitStack() as stack:
            if options["migration_name"] and is_step(
                options["app_label"], options["migration_name"]
            ):
                stack.enter_context(_step_by_step())
            if not drop_data:
                stack.enter_context(_refusing_losses())
            super().handle(*args, **options)


@contextmanager
def _step_by_step() -> Iterator[None]:
    """Let Django's command, which has no option for it, stop within a squashed migration."""
    whole = migrate.MigrationExecutor  # type: ignore[attr-defined]
    migrate.MigrationExecutor = StepExecutor  # type: ignore[attr-defined]
    try:
        yield
    finally:
        migrate.MigrationExecutor = whole  # type: ignore[attr-defined]


@contextmanager
def _refusing_losses() -> Iterator[None]:
    pre_migrate.connect(_refuse, dispatch_uid=__name__)
    try:
        yield
    finally:
        pre_migrate.disconnect(dispatch_uid=__name__)


def _refuse(*, app_config: Any, plan: Plan, apps: Apps, **sent: Any) -> None:
    """Check a plan once, although the signal is sent for each app."""
    if app_config.label == APP:
        refuse_losses(plan, apps)
