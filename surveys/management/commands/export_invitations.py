from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, write_chunks
from surveys.results.export import stream_invitations


class Command(SurveyCommand):
    help = "Write the personal links of a study as CSV. Anyone with a link can answer by it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, help="file; else standard output")
        parser.add_argument(
            "--all", action="store_true",
            help="include the links of annotators from the open link or a provider",
        )  # fmt: skip

    def handle(self, *, study: str, out: Path | None, **options: Any) -> None:
        chunks = stream_invitations(
            find_study(study), settings.SITE_URL, with_entrances=options["all"]
        )
        self.warn_of_links()
        write_chunks(chunks, out, self.stdout)
