from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import SurveyCommand, find_study, write_chunks
from surveys.models import Annotator, Study
from surveys.privacy.subject_access import export_annotator_data
from surveys.results.export import stream_invitations, stream_responses

PARTS = {
    "responses": "Write all responses of a study as CSV, with states, times and rounds.",
    "invitations": "Write a study's personal links as CSV. Anyone with a link can answer by it.",
    "person": "Write everything that is stored about one annotator as JSON.",
}


class Command(SurveyCommand):
    help = "Write a study's responses or personal links, or all data of one annotator."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="part", required=True)
        parts = {
            name: actions.add_parser(name, help=explained, description=explained)
            for name, explained in PARTS.items()
        }
        for part in parts.values():
            part.add_argument("study")
            part.add_argument("--out", type=Path, help="file (default: standard output)")
        parts["invitations"].add_argument(
            "--all", action="store_true",
            help="include the links of annotators from the open link or a provider",
        )  # fmt: skip
        parts["person"].add_argument("code", help="of the annotator, as shown in the console")

    def handle(self, *, study: str, out: Path | None, **options: Any) -> None:
        write_chunks(self._stream(find_study(study), options), out, self.stdout)

    def _stream(self, study: Study, options: dict[str, Any]) -> Iterable[str]:
        if options["part"] == "responses":
            return stream_responses(study)
        if options["part"] == "invitations":
            self.warn_of_links()
            return stream_invitations(study, settings.SITE_URL, with_entrances=options["all"])
        annotator = Annotator.objects.filter(study=study, code=options["code"]).first()
        if annotator is None:
            raise CommandError(f"Study {study.slug} has no annotator {options['code']!r}.")
        return [export_annotator_data(annotator)]
