from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.crowd.mturk.qualifications import compare_qualifications
from surveys.management.commands._base import SurveyCommand, find_study
from surveys.models import Provider


class Command(SurveyCommand):
    help = "Compare the qualifications of a study's workers here and at a target of MTurk."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--target", default=Provider.SIMULATOR.value, help="(simulator)")

    def handle(self, *, study: str, target: str, **options: Any) -> None:
        differences = compare_qualifications(find_study(study), target)
        lines = [
            f"{row.qualification}: {row.n_missing} only here, {row.n_unknown} only there, "
            f"{row.n_unequal} with a different value there"
            for row in differences
        ]
        if lines:
            raise CommandError("\n".join(lines))
        self.stdout.write("Both sides agree.")
