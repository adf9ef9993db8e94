from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.crowd.mturk.jobs import run_round
from surveys.management.commands._base import SurveyCommand


class Command(SurveyCommand):
    help = (
        "Take what was handed in for all open batches, and tell targets of new qualifications. "
        "For a timer, every few minutes. Nothing is paid but with --pay, under armed batches."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pay", action="store_true", help="pay what armed batches owe, too")

    def handle(self, *, pay: bool, **options: Any) -> None:
        if told := run_round(pays=pay):
            raise CommandError("\n".join(told))
        self.stdout.write("All is fetched.")
