from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import code
from surveys.management.commands._entrance import EntranceCommand, add_code
from surveys.models import Entrance, Provider, Study
from surveys.recruitment.links import address_for_provider


class Command(EntranceCommand):
    help = "Connect a study to Prolific, and print the address to give to Prolific."
    provider = Provider.PROLIFIC
    name = "connection to Prolific"
    closed = "Closed to new annotators from Prolific; those who have started can finish."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--completion-code", type=code,
            help="Prolific's code for completion; needed once, and when it changes",
        )  # fmt: skip
        add_code(
            parser, "--no-place-code", remove="--without-no-place-code",
            explained="its code for annotators without a place or screened out",
        )  # fmt: skip

    def refuse_settings(self, study: Study, settings: dict[str, Any]) -> None:
        connected = Entrance.objects.filter(study=study, provider=self.provider)
        has_code = connected.exclude(completion_code="").exists()
        if "completion_code" not in settings and not has_code:
            raise CommandError("Give --completion-code: Prolific shows it with the study there.")

    def describe(self, entrance: Entrance) -> str:
        return address_for_provider(entrance)
