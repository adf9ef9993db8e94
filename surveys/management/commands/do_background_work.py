from typing import Any

from surveys.features import Lane
from surveys.jobs.perform import perform_due
from surveys.jobs.queue import requeue_silent
from surveys.management.commands._base import SurveyCommand
from surveys.tasks import score_submissions, send_baselines


class Command(SurveyCommand):
    help = (
        "Perform due runs, submit the baselines of shared tasks, score submissions, and send due "
        "webhook messages and e-mails in this process. The site and its workers do so "
        "automatically; use this in a timer if neither is running."
    )

    def handle(self, **options: Any) -> None:
        requeue_silent()
        n_messages = perform_due(Lane.SHORT)
        n_mails = perform_due(Lane.MAIL)
        send_baselines()
        n_scored, n_jobs = score_submissions(), sum(perform_due(lane) for lane in Lane)
        counts = f"Jobs: {n_jobs}, messages: {n_messages}, e-mails: {n_mails}"
        if n_scored:
            counts += f", submissions scored: {n_scored}"
        self.stdout.write(f"{counts}.")
