from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.crowd.models import Batch
from surveys.crowd.mturk.steps import Outcome
from surveys.management.commands._base import SurveyCommand, find_study


class BatchCommand(SurveyCommand):
    """Command with one action on one batch; errors of single rows are shown and set the exit."""

    action: Callable[[Batch], Outcome]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("batch", type=int, help="its number within the study")

    def handle(self, *, study: str, **options: Any) -> None:
        batch = Batch.objects.filter(study=find_study(study), number=options["batch"]).first()
        if batch is None:
            raise CommandError(f"Study {study} has no batch {options['batch']}.")
        outcome = self.action(batch)
        for name, n in sorted(outcome.counts.items()):
            self.stdout.write(f"{name}: {n}")
        if not outcome.counts:
            self.stdout.write("There was nothing to do.")
        if outcome.errors:
            raise CommandError("\n".join(outcome.errors))
