from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from surveys.management.commands._base import SurveyCommand, find_study
from surveys.models import Study
from surveys.privacy.leftovers import drop_leftovers
from surveys.privacy.participants import drop_due_participants, list_due_tasks
from surveys.privacy.retention import drop_due, find_due


class Command(SurveyCommand):
    help = (
        "Drop provider ids and notes of annotators whose retention period is over, and members and "
        "contacts of shared tasks some days after their results were published. To be run once "
        "a day by a timer; the period is set in the console under Privacy, or by set_retention."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", nargs="?", help="slug of a study (default: all)")
        parser.add_argument(
            "--dry-run", action="store_true", help="only print the numbers, drop nothing"
        )

    def handle(self, *, study: str | None, dry_run: bool, **options: Any) -> None:
        studies = [find_study(study)] if study else list(Study.objects.order_by("slug"))
        for one in studies:
            due = find_due(one) if dry_run else drop_due(one)
            if one.retention_days is None and not due.people:
                if study:
                    self.stdout.write(f"{one}: personal data is kept without limit.")
                continue
            done = "to be dropped" if dry_run else "dropped"
            counts = f"annotators {len(due.people)}, unused links {len(due.links)}"
            if due.strangers:
                counts += f", workers who never came {len(due.strangers)}"
            self.stdout.write(f"{one}: {done}: {counts}")
        if not study:
            self._drop_participants(dry_run=dry_run)
        if not dry_run:
            drop_leftovers()

    def _drop_participants(self, *, dry_run: bool) -> None:
        """Drop, or count, the members of shared tasks that were published long enough ago."""
        now = timezone.now()
        if dry_run:
            due = {one: one.members.count() for one in list_due_tasks(now)}
        else:
            due = drop_due_participants(now)
        for shared_task, n_members in due.items():
            done = "to be dropped" if dry_run else "dropped"
            self.stdout.write(f"{shared_task.slug}: {done}: members of teams {n_members}")
