from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, write_chunks
from surveys.results.export import stream_responses


class Command(SurveyCommand):
    help = "Write every response of a study as CSV, with its state, its times and its round."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, help="file; else standard output")

    def handle(self, *, study: str, out: Path | None, **options: Any) -> None:
        write_chunks(stream_responses(find_study(study)), out, self.stdout)
