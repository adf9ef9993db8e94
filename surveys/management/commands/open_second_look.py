from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_account, find_study
from surveys.models import SecondAnswer
from surveys.review.second_look import list_obstacles, open_second_look, preview_second_look


class Command(SurveyCommand):
    help = (
        "Ask annotators to look again at ratings far from the others'. Without --by it only says "
        "who would look at how many."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--by", metavar="USERNAME", help="the account that opens it")

    def handle(self, *, study: str, by: str | None, **options: Any) -> None:
        looking = find_study(study)
        if by:
            open_second_look(looking, find_account(by))
            n = SecondAnswer.objects.of_study(looking).count()
            self.stdout.write(f"The second look is open. Ratings to look at again: {n}.")
            return
        for obstacle in list_obstacles(looking):
            self.warn(obstacle)
        if looking.second_look_above is not None:
            for looker in preview_second_look(looking):
                agreement = "-" if looker.agreement is None else f"{looker.agreement:.2f}"
                self.stdout.write(
                    f"{looker.code}  ratings: {looker.n_shown}, minutes: {looker.minutes}, "
                    f"agreement: {agreement}"
                )
