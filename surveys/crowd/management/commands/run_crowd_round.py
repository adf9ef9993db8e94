from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.crowd.mturk.batch_jobs import run_round
from surveys.management.commands._base import SurveyCommand


class Command(SurveyCommand):
    help = (
        "Fetch what workers handed in for all open batches, and send targets new qualifications. "
        "For a timer, every few minutes. With --pay, batches with an approved budget are paid."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pay", action="store_true", help="also pay if the budget is approved")

    def handle(self, *, pay: bool, **options: Any) -> None:
        if errors := run_round(pays=pay):
            raise CommandError("\n".join(errors))
        self.stdout.write("All batches are up to date.")
