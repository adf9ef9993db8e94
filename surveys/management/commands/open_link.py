from django.core.management.base import CommandParser

from surveys.management.commands._entrance import EntranceCommand, add_code
from surveys.models import Entrance, Provider
from surveys.recruitment.links import entrance_address


class Command(EntranceCommand):
    help = "Open the link of a study that anyone may use, or change it, and print it."
    provider = Provider.LINK
    name = "open link"
    closed = "The open link is closed to new annotators; those who have started can finish."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_code(
            parser, "--completion-code", remove="--no-completion-code",
            explained="shown to annotators at the end",
        )  # fmt: skip

    def describe(self, entrance: Entrance) -> str:
        return entrance_address(entrance)
