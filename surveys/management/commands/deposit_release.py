from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.jobs.perform import perform
from surveys.management.commands._base import SurveyCommand, find_study
from surveys.management.commands.release_dataset import find_release
from surveys.models import JobState, RepositoryKind
from surveys.results.deposit.deposit_jobs import find_deposit, list_requests, request_deposit
from surveys.results.deposit.repositories import find_repository
from surveys.results.inspection.guards import warn_of_embargo


class Command(SurveyCommand):
    help = "Send a release as a draft to a repository for data. Nothing is published."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("release", type=int, help="its number, as on the page Release")
        parser.add_argument("repository", choices=RepositoryKind.values)
        parser.add_argument(
            "--dry-run", action="store_true", help="print all requests, and send nothing"
        )

    def handle(self, *, study: str, repository: str, **options: Any) -> None:
        release = find_release(find_study(study), options["release"])
        place = find_repository(repository)
        if warning := warn_of_embargo(release.pk):
            self.stderr.write(warning)
        if options["dry_run"]:
            from surveys.results.deposit.steps import render_steps

            steps = list_requests(release, repository)
            self.stdout.write(f"{render_steps(steps, place)}\n\nNothing was sent.")
            return
        run = request_deposit(release, repository, None)
        perform(run.job_id)
        run.refresh_from_db()
        if run.state != JobState.DONE:
            raise CommandError(run.error)
        deposit = find_deposit(release.study, place)
        if deposit is None:
            raise CommandError(f"The draft of {release.name} was deleted meanwhile.")
        self.stdout.write(f"{release.name} sent as a draft: {deposit.url}")
        if deposit.doi:
            self.stdout.write(f"DOI reserved for it: {deposit.doi}")
        self.stdout.write(f"It is published only by its owner, at {place.host}.")
