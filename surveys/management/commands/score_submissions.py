from typing import Any

from surveys.management.commands._base import SurveyCommand
from surveys.sharedtasks.scoring.waiting import score_waiting


class Command(SurveyCommand):
    help = (
        "Score the submissions of shared tasks that wait for their scores, in this process. The "
        "site and its workers do so automatically; use this if neither is running."
    )

    def handle(self, **options: Any) -> None:
        self.stdout.write(f"Submissions scored: {score_waiting()}.")
