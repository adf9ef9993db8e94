from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, write_chunks
from surveys.models import Annotator
from surveys.privacy.subject_access import export_annotator_data


class Command(SurveyCommand):
    help = "Write everything that is stored about one annotator as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("code", help="code of the annotator, as shown in the console")
        parser.add_argument("--out", type=Path, help="file (default: standard output)")

    def handle(self, *, code: str, out: Path | None, **options: Any) -> None:
        study = find_study(options["study"])
        annotator = Annotator.objects.filter(study=study, code=code).first()
        if annotator is None:
            raise CommandError(f"Study {study.slug} has no annotator {code!r}.")
        write_chunks([export_annotator_data(annotator)], out, self.stdout)
