from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_account, find_study
from surveys.review.second_look import close_second_look, follow_second_look


class Command(SurveyCommand):
    help = "End the second look of a study. Ratings that were not looked at again stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--by", metavar="USERNAME", required=True, help="the account that closes it"
        )

    def handle(self, *, study: str, by: str, **options: Any) -> None:
        looked = find_study(study)
        close_second_look(looked, find_account(by))
        lookers = follow_second_look(looked)
        shown, answered, changed = (
            sum(getattr(looker, f"n_{name}") for looker in lookers)
            for name in ("shown", "answered", "changed")
        )
        self.stdout.write(
            f"The second look is closed. Shown: {shown}, looked at again: {answered}, "
            f"changed: {changed}."
        )
