from typing import Any

from surveys.management.commands._base import SurveyCommand
from surveys.outbox import perform_due_runs, send_due_messages
from surveys.results.run_leases import take_back_silent_runs


class Command(SurveyCommand):
    help = (
        "Perform the runs and send the messages to webhooks that are due, in this process. The "
        "site and its workers do so by themselves; this is for when neither serves, by a timer."
    )

    def handle(self, **options: Any) -> None:
        take_back_silent_runs()
        n_messages = send_due_messages()
        n_runs = perform_due_runs()
        self.stdout.write(f"Runs: {n_runs}, messages: {n_messages}.")
