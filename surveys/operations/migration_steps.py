"""Migrating step by step through the migrations that a squashed one replaces."""

from typing import Any

from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader


def is_squashed(name: str) -> bool:
    """Return whether a migration replaces others, as its name says.

    Those it replaces are recorded with it, so that other code need not have it.
    """
    return "_squashed_" in name


def is_step(app: str, prefix: str) -> bool:
    """Return whether the migration whose name has a prefix is replaced by a squashed one."""
    loader = MigrationLoader(None, replace_migrations=False)
    replaced = {step for squashed in loader.replacements.values() for step in squashed.replaces}
    return any(label == app and name.startswith(prefix) for label, name in replaced)


class StepLoader(MigrationLoader):
    """Django's loader, planning with the replaced migrations instead of the squashed one."""

    def __init__(self, connection: Any) -> None:
        super().__init__(connection, replace_migrations=False)

    def build_graph(self) -> None:
        super().build_graph()
        for key, squashed in self.replacements.items():
            self.graph.remove_replacement_node(key, squashed.replaces)
            del self.disk_migrations[key]


class StepExecutor(MigrationExecutor):
    """Django's executor, which can stop at any replaced migration."""

    def __init__(self, connection: Any, progress_callback: Any = None) -> None:
        super().__init__(connection, progress_callback)
        self.loader = StepLoader(connection)

    def check_replacements(self) -> None:
        """Unrecord the squashed migrations, which code from before them does not have."""
        for app, name in self.recorder.applied_migrations():
            if is_squashed(name):
                self.recorder.record_unapplied(app, name)
