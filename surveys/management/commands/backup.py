import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand
from surveys.operations.backups.archive import (
    Manifest,
    check_backup,
    find_missing_files,
    write_backup,
)
from surveys.operations.backups.store import store_backup
from surveys.operations.timers import note_run


class Command(SurveyCommand):
    needs_fitting_database = False  # a backup is made before migrating
    help = (
        "Write the whole site into one file while it runs: database, files and key. Keep the file "
        "where only operators can read it (docs/backups.md)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, nargs="?",
            help="new file, such as cosima-2026-11-23.tar.gz (default: one at BACKUP_URL, where "
            "older ones are deleted after a while)",
        )  # fmt: skip
        parser.add_argument(
            "--check", action="store_true", help="restore it to a temporary database and compare"
        )

    def handle(self, *, file: Path | None, check: bool, **options: Any) -> None:
        begun = time.monotonic()
        name, size, manifest = write_file(file, check) if file else store_backup(checks=check)
        note_run("backup")
        if check:
            note_run("check")
        for missing in find_missing_files(manifest):
            self.warn(f"warning: the file {missing} is missing")
        self.stdout.write(
            f"{name}: {size / 1e6:.1f} MB, rows {manifest.n_rows}, files {manifest.n_files}, "
            f"{time.monotonic() - begun:.1f} s{'; restored and compared' if check else ''}"
        )


def write_file(file: Path, check: bool) -> tuple[str, int, Manifest]:
    """Write a backup into a file; return its name, size and manifest."""
    manifest = write_backup(file)
    if check:
        check_backup(file)
    return str(file), file.stat().st_size, manifest
