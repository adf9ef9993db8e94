from typing import Any

from django.core.management.base import CommandError, CommandParser

from surveys.management.commands._base import (
    SurveyCommand,
    code,
    find_entrance,
    find_study,
    positive,
)
from surveys.models import Provider
from surveys.recruiting import close_entrance, entrance_address, open_entrance


class Command(SurveyCommand):
    help = "Open the link of a study by which anybody may come, or change it, and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        caps = parser.add_mutually_exclusive_group()
        caps.add_argument("--cap", type=positive, help="how many may start by it")
        caps.add_argument("--no-cap", action="store_true", help="as many as there are places")
        codes = parser.add_mutually_exclusive_group()
        codes.add_argument("--completion-code", type=code, help="shown to who has finished")
        codes.add_argument("--no-completion-code", action="store_true")
        parser.add_argument("--close", action="store_true", help="let nobody start by it any more")

    def handle(self, *, study: str, close: bool, **options: Any) -> None:
        settings = read_settings(options)
        opened = find_study(study)
        if not close:
            entrance = open_entrance(opened, Provider.LINK, **settings)
            self.stdout.write(entrance_address(entrance))
            return
        if settings:
            raise CommandError("--close goes with no other option.")
        close_entrance(find_entrance(opened, Provider.LINK, "open link"))
        self.stdout.write("The open link is closed; who has started by it may finish.")


def read_settings(options: dict[str, Any]) -> dict[str, Any]:
    """What the options change about the entrance; the rest stays as it was."""
    settings: dict[str, Any] = {}
    if options["cap"] or options["no_cap"]:
        settings["cap"] = options["cap"]
    if options["completion_code"] or options["no_completion_code"]:
        settings["completion_code"] = options["completion_code"] or ""
    return settings
