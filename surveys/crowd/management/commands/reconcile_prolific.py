from django.core.management.base import CommandParser

from surveys.crowd.prolific.export import read_export
from surveys.crowd.reconciliation import reconcile_all
from surveys.management.commands._base import SurveyCommand, find_study, read_text
from surveys.management.commands.entrance import find_entrance
from surveys.models import Provider, ReconciliationResult


class Command(SurveyCommand):
    help = (
        "Read Prolific's export of a study's submissions (CSV): which are payable, held for "
        "a researcher, finished but not payable there, or expired, so that the place is free."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("file", help="the export; - for standard input")

    def handle(self, *, study: str, file: str, **options: object) -> None:
        entrance = find_entrance(find_study(study), Provider.PROLIFIC)
        reports = read_export(read_text(file))
        self.stdout.write(f"{len(reports)} submission{'' if len(reports) == 1 else 's'}")
        counts = reconcile_all(entrance, reports)
        for standing, label in [*ReconciliationResult.choices, ("", "nothing to do")]:
            if counts[standing]:
                self.stdout.write(f"{counts[standing]}: {label}")
