from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study
from surveys.models import Study
from surveys.privacy.leftovers import drop_leftovers
from surveys.privacy.retention import drop_due, find_due


class Command(SurveyCommand):
    help = (
        "Drop the ids and notes that studies have kept for as long as they want to after payment. "
        "For a timer, once a day; studies say for how long in the console, under Privacy."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", nargs="?", help="else all")
        parser.add_argument(
            "--dry-run", action="store_true", help="only tell of how many, drop nothing"
        )

    def handle(self, *, study: str | None, dry_run: bool, **options: Any) -> None:
        studies = [find_study(study)] if study else list(Study.objects.order_by("slug"))
        for one in studies:
            due = find_due(one) if dry_run else drop_due(one)
            if one.retention_days is None and not due.people:
                if study:
                    self.stdout.write(f"{one}: keeps personal data until told otherwise.")
                continue
            done = "to be dropped" if dry_run else "dropped"
            told = f"annotators {len(due.people)}, unused links {len(due.links)}"
            if due.strangers:
                told += f", workers who never came {len(due.strangers)}"
            self.stdout.write(f"{one}: {done}: {told}")
        if not dry_run:
            drop_leftovers()
