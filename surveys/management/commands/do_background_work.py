from typing import Any

from surveys.management.commands._base import SurveyCommand
from surveys.results.run_leases import requeue_silent_runs
from surveys.tasks import perform_runs, send_mails, send_messages


class Command(SurveyCommand):
    help = (
        "Perform due runs and send due webhook messages and e-mails in this process. The site and "
        "its workers do so automatically; use this in a timer if neither is running."
    )

    def handle(self, **options: Any) -> None:
        requeue_silent_runs()
        n_messages = send_messages()
        n_mails = send_mails()
        n_runs = perform_runs()
        self.stdout.write(f"Runs: {n_runs}, messages: {n_messages}, e-mails: {n_mails}.")
