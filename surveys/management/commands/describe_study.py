from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, read_file
from surveys.results.release import write_form


class Command(SurveyCommand):
    help = "Print the description of a study for its release, with markers for missing parts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--description", type=Path, metavar="FILE", help="the description written so far, TOML"
        )

    def handle(self, *, study: str, description: Path | None, **options: Any) -> None:
        written = read_file(description) if description else b""
        self.stdout.write(write_form(find_study(study), written), ending="")
