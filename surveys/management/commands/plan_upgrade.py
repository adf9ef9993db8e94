from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand
from surveys.operations.migration_guard import (
    find_stopping_operations,
    read_recorded,
    refuse_other_version,
)


class Command(SurveyCommand):
    needs_fitting_database = False
    help = (
        "Say whether the database can be migrated to this version while an earlier version "
        "serves. Nothing is changed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--stop", action="store_true", help="a stop is permitted")

    def handle(self, *, stop: bool, **options: Any) -> None:
        refuse_other_version(read_recorded())
        operations = find_stopping_operations()
        if not operations:
            self.stdout.write("The earlier version can serve during the migration.")
            return
        self.stdout.write("\n".join(operations))
        if not stop:
            raise CommandError(
                "This upgrade needs a stop, since the earlier version cannot serve during these "
                "changes: requests wait, and may fail if it takes over half a minute. Nothing was "
                "changed. Choose an hour when nobody answers, then repeat it with --stop."
            )
