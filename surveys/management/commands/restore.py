import os
import subprocess  # nosec B404
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand
from surveys.operations.backups.archive import PARTIAL, Manifest, check_backup, restore_backup
from surveys.operations.backups.store import fetch_backup
from surveys.operations.timers import note_run

# in processes that begin with the restored key
AFTERWARDS = (("migrate", "--verbosity", "0"), ("repeat_erasures",))


class Command(SurveyCommand):
    needs_fitting_database = False  # it brings its own database
    help = (
        "Restore a site from a file written by `backup`, into this VAR_DIR and DATABASE_URL, and "
        "repeat withdrawals and erasures that the file lacks. Stop the site first, and start it "
        "afterwards (docs/backups.md)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file, a name at BACKUP_URL, or `latest` there")
        parser.add_argument(
            "--identity", type=Path, help="the file with age's secret key, for an encrypted backup"
        )
        parser.add_argument(
            "--check", action="store_true", help="restore it to a temporary database only"
        )
        parser.add_argument(
            "--overwrite",
            action="store_true",
            help="replace the contents of a site that is not empty",
        )

    def handle(
        self, *, file: str, identity: Path | None, check: bool, overwrite: bool, **options: Any
    ) -> None:
        with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=settings.VAR_DIR) as made:
            path = fetch_backup(file, Path(made), identity=identity)
            manifest = check_backup(path) if check else restore_backup(path, overwrites=overwrite)
        self._report(manifest, "could be restored" if check else "restored")
        if check:
            note_run("check")
            return
        key = (Path(settings.VAR_DIR) / "secret_key").read_text()
        if os.environ.get("SECRET_KEY", key) != key:
            self.warn(
                "warning: SECRET_KEY differs from the backup's key, in VAR_DIR/secret_key. Set it "
                "to that key: digests of dropped ids depend on it."
            )  # fmt: skip
        for command in AFTERWARDS:
            manage = [sys.executable, str(settings.BASE_DIR / "manage.py"), *command]
            done = subprocess.run(  # noqa: S603  # nosec B603 # (our own commands)
                manage, stdout=subprocess.PIPE, text=True, check=False
            )
            if done.returncode:
                raise CommandError(
                    f"The site is restored, but `manage.py {command[0]}` failed. Do not serve it "
                    "before `manage.py migrate` and `manage.py repeat_erasures` succeed: people "
                    "who withdrew since the backup would be there again."
                )
            self.stdout.write(done.stdout, ending="")
        self.stdout.write("Start the site with scripts/serve.")

    def _report(self, manifest: Manifest, done: str) -> None:
        self.stdout.write(
            f"The site of {manifest.made_at} {done}: rows {manifest.n_rows}, files "
            f"{manifest.n_files}"
        )
