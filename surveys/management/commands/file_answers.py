from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study
from surveys.review.queue import file_answers

ANSWERS_PER_STEP = 4000


class Command(SurveyCommand):
    help = "Add all submitted questionnaires of a study to its review queue."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")

    def handle(self, **options: Any) -> None:
        study, n_filed = find_study(options["study"]), 0
        while n_new := file_answers(study, at_most=ANSWERS_PER_STEP):
            n_filed += n_new
        noun = "questionnaire is" if n_filed == 1 else "questionnaires are"
        self.stdout.write(f"{n_filed} {noun} added to the review queue.")
