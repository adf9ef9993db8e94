from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, find_study
from surveys.moving.export import export_study


class Command(SurveyCommand):
    help = (
        "Write one study into a file for another site: answers, people, settings, runs and "
        "releases. Close the study first, and keep the file as a backup (docs/backups.md)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("file", type=Path, help="new file; .age is added if it is encrypted")
        sealing = parser.add_mutually_exclusive_group()
        sealing.add_argument(
            "--recipient",
            help="public key of age that may read it (default: the recipient in BACKUP_URL)",
        )
        sealing.add_argument("--plain", action="store_true", help="do not encrypt it")

    def handle(
        self, *, study: str, file: Path, recipient: str | None, plain: bool, **options: Any
    ) -> None:
        key = "" if plain else recipient or settings.BACKUP_RECIPIENT
        if not key and not plain:
            raise CommandError(
                "The file would have personal data: name a public key of age by --recipient, or "
                "choose --plain."
            )
        moved = find_study(study)
        path, manifest = export_study(moved, file, recipient=key)
        size = path.stat().st_size / 1e6
        self.stdout.write(
            f"{path}: {size:.1f} MB, rows {sum(manifest.rows.values())}, "
            f"{'encrypted' if key else 'not encrypted'}\nIt contains personal data:"
        )
        for what, n in manifest.personal.items():
            self.stdout.write(f"  {what}: {n}")
        if manifest.families:
            self.stdout.write(f"Families, which stay here: {', '.join(manifest.families)}")
        for name in manifest.missing:
            self.warn(f"warning: the file {name} is missing")
        if moved.opened_at and not moved.closed_at:
            self.warn("warning: the study is open here: later answers are not in the file")
