from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand
from surveys.models import Role
from surveys.moving.importing import import_study


class Command(SurveyCommand):
    help = (
        "Store a study that `export_study` wrote on another site, and repeat withdrawals and "
        "erasures since then. Its webhooks are off (docs/backups.md)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--identity", type=Path, help="the file with age's secret key")
        parser.add_argument("--as", dest="slug", default="", metavar="NAME", help="another name")
        parser.add_argument(
            "--new-links", action="store_true", help="renew all links; the old ones do not open"
        )
        parser.add_argument(
            "--journal", type=Path, metavar="FOLDER",
            help="copy of the folder erasures among the other site's backups",
        )  # fmt: skip

    def handle(
        self, *, file: Path, identity: Path | None, slug: str, new_links: bool,
        journal: Path | None, **options: Any,
    ) -> None:  # fmt: skip
        imported = import_study(
            file, identity=identity, slug=slug, renews_links=new_links, journal=journal
        )
        study, manifest = imported.study, imported.manifest
        counts = ", ".join(f"{deed} {n}" for deed, n in sorted(imported.repeated.items()))
        self.stdout.write(
            f"{study.slug}: rows {sum(manifest.rows.values())}, of {manifest.site}, "
            f"{manifest.made_at}\nRepeated from the journals: {counts or 'nothing'}."
        )
        if imported.new_accounts:
            self.stdout.write(f"New inactive accounts: {', '.join(imported.new_accounts)}")
        members = study.memberships.filter(user__is_active=True)
        names = members.values_list("user__username", "role")
        listed = ", ".join(f"{name} ({role})" for name, role in names)
        self.stdout.write(f"Who sees the study here: {listed or 'nobody'}")
        if not members.filter(role=Role.OWNER).exists():
            self.warn("warning: no active account owns the study")
        if manifest.families:
            self.stdout.write(f"Families it was in: {', '.join(manifest.families)}")
