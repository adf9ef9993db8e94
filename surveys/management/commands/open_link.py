from django.core.management.base import CommandParser

from surveys.management.commands._entrance import EntranceCommand, add_code
from surveys.models import Entrance, Provider
from surveys.recruitment.links import entrance_address


class Command(EntranceCommand):
    help = "Open the link of a study by which anybody may come, or change it, and print it."
    provider = Provider.LINK
    name = "open link"
    closed = "The open link is closed; who has started by it may finish."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_code(
            parser, "--completion-code", remove="--no-completion-code",
            explained="shown to who has finished",
        )  # fmt: skip

    def describe(self, entrance: Entrance) -> str:
        return entrance_address(entrance)
