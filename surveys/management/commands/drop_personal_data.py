from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from surveys.features import load_objects
from surveys.management.commands._base import SurveyCommand, find_study
from surveys.models import Study
from surveys.operations.timers import note_run
from surveys.privacy.leftovers import drop_leftovers
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

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        slug, done = options["study"], "to be dropped" if dry_run else "dropped"
        for study in [find_study(slug)] if slug else Study.objects.order_by("slug"):
            due = find_due(study) if dry_run else drop_due(study)
            if study.retention_days is None and not due.people:
                if slug:
                    self.stdout.write(f"{study}: personal data is kept without limit.")
                continue
            counts = f"annotators {len(due.people)}, unused links {len(due.links)}"
            if due.strangers:
                counts += f", workers who never came {len(due.strangers)}"
            self.stdout.write(f"{study}: {done}: {counts}")
        if not slug:
            for look in load_objects("find_due" if dry_run else "drop_due"):
                for subject, counts in look(timezone.now()).items():
                    self.stdout.write(f"{subject}: {done}: {counts}")
        if not dry_run:
            drop_leftovers()
            if not slug:
                note_run("drop")
