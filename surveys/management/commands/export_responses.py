from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, write_chunks
from surveys.results.export import stream_responses


class Command(SurveyCommand):
    help = "Write all responses of a study as CSV, with states, times and rounds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, help="file; default standard output")

    def handle(self, *, study: str, out: Path | None, **options: Any) -> None:
        write_chunks(stream_responses(find_study(study)), out, self.stdout)
