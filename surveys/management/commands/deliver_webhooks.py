from typing import Any

from surveys.management.commands._base import SurveyCommand
from surveys.notifying import deliver_due


class Command(SurveyCommand):
    help = (
        "Send the messages to webhooks that are due. For a timer where there is no broker: a "
        "process that ends takes its further tries with it."
    )

    def handle(self, **options: Any) -> None:
        n_arrived, n_due = deliver_due()
        self.stdout.write(f"{n_arrived} of {n_due} messages arrived.")
