import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand
from surveys.operations.backups import check_backup, find_missing_files, write_backup
from surveys.operations.timers import note_run


class Command(SurveyCommand):
    needs_fitting_database = False  # a backup is made before migrating
    help = (
        "Write the whole site into one file while it runs: database, files and key. Keep the file "
        "where only operators can read it (docs/backups.md)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="new file, such as cosima-2026-11-23.tar.gz")
        parser.add_argument(
            "--check", action="store_true", help="restore it to a temporary database and compare"
        )

    def handle(self, *, file: Path, check: bool, **options: Any) -> None:
        begun = time.monotonic()
        manifest = write_backup(file)
        if check:
            check_backup(file)
        note_run("backup")
        for name in find_missing_files(manifest):
            self.warn(f"warning: the file {name} is missing")
        self.stdout.write(
            f"{file}: {file.stat().st_size / 1e6:.1f} MB, rows {manifest.n_rows}, files "
            f"{manifest.n_files}, {time.monotonic() - begun:.1f} s"
            f"{'; restored and compared' if check else ''}"
        )
