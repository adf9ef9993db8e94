import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand
from surveys.operations.backups import check_backup, restore_backup
from surveys.operations.timers import note_run


class Command(SurveyCommand):
    needs_fitting_database = False  # it brings its own database
    help = (
        "Restore a site from a file written by `backup`, into this VAR_DIR and DATABASE_URL. Stop "
        "the site first, and start it afterwards (docs/backups.md)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--check", action="store_true", help="restore it to a temporary database only"
        )
        parser.add_argument(
            "--overwrite",
            action="store_true",
            help="replace the contents of a site that is not empty",
        )

    def handle(self, *, file: Path, check: bool, overwrite: bool, **options: Any) -> None:
        manifest = check_backup(file) if check else restore_backup(file, overwrites=overwrite)
        done = "could be restored" if check else "restored"
        self.stdout.write(
            f"The site of {manifest.made_at} {done}: rows {manifest.n_rows}, files "
            f"{manifest.n_files}"
        )
        if check:
            note_run("check")
            return
        key = (Path(settings.VAR_DIR) / "secret_key").read_text()
        if os.environ.get("SECRET_KEY", key) != key:
            self.warn(
                "warning: SECRET_KEY differs from the backup's key, in VAR_DIR/secret_key. Set it "
                "to that key: digests of dropped ids depend on it."
            )  # fmt: skip
        self.stdout.write("Start the site with scripts/serve, or run manage.py migrate first.")
