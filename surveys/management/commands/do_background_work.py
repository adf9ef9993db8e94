from typing import Any

from surveys.features import Lane
from surveys.jobs.perform import perform_due
from surveys.jobs.queue import requeue_silent
from surveys.management.commands._base import SurveyCommand


class Command(SurveyCommand):
    help = (
        "Perform due jobs in this process, such as runs, scores of submissions, webhook messages "
        "and e-mails. The site and its workers do so automatically; use this in a timer if neither "
        "is running."
    )

    def handle(self, **options: Any) -> None:
        requeue_silent()
        n_jobs = sum(perform_due(lane) for lane in (Lane.SHORT, *Lane))  # long jobs store others
        self.stdout.write(f"Jobs: {n_jobs}.")
