from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, positive, read_text
from surveys.models import Study
from surveys.recruitment.links import invite_annotators, invite_listed, personal_link


class Command(SurveyCommand):
    help = "Create personal links for annotators, and print them, one per line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        recipients = parser.add_mutually_exclusive_group()
        recipients.add_argument("--count", type=positive, default=1)
        recipients.add_argument(
            "--from", dest="listed", metavar="FILE",
            help="labels or addresses, one per line; - for standard input. Those with a link "
            "in this study already get no second one",
        )  # fmt: skip

    def handle(self, *, study: str, count: int, listed: str | None, **options: Any) -> None:
        if listed is not None:
            self._invite_listed(find_study(study), read_text(listed))
            return
        invitations = invite_annotators(find_study(study), count)
        self.warn_of_links()
        for invitation in invitations:
            self.stdout.write(personal_link(invitation.token))

    def _invite_listed(self, study: Study, text: str) -> None:
        invited = invite_listed(study, text.split("\n"))
        self.warn_of_links()
        for invitation in invited.new:
            self.stdout.write(f"{invitation.note}\t{personal_link(invitation.token)}")
        self.stderr.write(f"New: {len(invited.new)}, known already: {len(invited.existing)}.")
