from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, write_chunks
from surveys.review.translations import write_translations


class Command(SurveyCommand):
    help = "Write the items of a study of translations in the other language, for a next study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR")

    def handle(self, *, study: str, out: Path, **options: Any) -> None:
        name, text = write_translations(find_study(study))
        write_chunks([text], out / name, self.stdout)
        self.stdout.write(f"Written: {out / name}")
