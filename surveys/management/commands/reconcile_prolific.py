from django.core.management.base import CommandError, CommandParser

from surveys.crowd.prolific_export import read_export
from surveys.crowd.reconciliation import reconcile_all
from surveys.management.commands._base import SurveyCommand, find_study, read_text
from surveys.models import Entrance, Provider, Standing


class Command(SurveyCommand):
    help = (
        "Read Prolific's export of a study's submissions (CSV): which are payable, held for "
        "a researcher, finished but not payable there, or expired, so that the place is free."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("file", help="the export; - for standard input")

    def handle(self, *, study: str, file: str, **options: object) -> None:
        found = find_study(study)
        entrance = Entrance.objects.filter(study=found, provider=Provider.PROLIFIC).first()
        if entrance is None:
            raise CommandError(f"Study {found.slug} has no connection to Prolific.")
        counts = reconcile_all(entrance, read_export(read_text(file)))
        for standing, label in [*Standing.choices, ("", "nothing to do")]:
            if counts[standing]:
                self.stdout.write(f"{counts[standing]}: {label}")
