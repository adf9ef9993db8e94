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
from surveys.providers import RULES
from surveys.recruiting import close_entrance, entrance_address, open_entrance

SETTINGS = ("completion_code", "no_place_code", "cap")


class Command(SurveyCommand):
    help = "Let people come from Prolific, and print the address that Prolific sends them to."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--completion-code", type=code, help="Prolific's code for who has finished"
        )
        parser.add_argument(
            "--no-place-code", type=code, help="its code for who found no place or was screened out"
        )
        parser.add_argument("--cap", type=positive, help="how many may start")
        parser.add_argument("--close", action="store_true", help="let nobody start any more")

    def handle(self, *, study: str, close: bool, **options: Any) -> None:
        settings = {name: options[name] for name in SETTINGS if options[name] is not None}
        connected = find_study(study)
        if close:
            if settings:
                raise CommandError("--close goes with no other option.")
            close_entrance(find_entrance(connected, Provider.PROLIFIC, "connection to Prolific"))
            self.stdout.write("Nobody starts from Prolific any more; who has started may finish.")
            return
        if "completion_code" not in settings:
            raise CommandError("Give --completion-code: Prolific shows it with the study there.")
        entrance = open_entrance(connected, Provider.PROLIFIC, **settings)
        self.stdout.write(f"{entrance_address(entrance)}?{write_parameters()}")


def write_parameters() -> str:
    """What Prolific fills in for each person."""
    rules = RULES[Provider.PROLIFIC]
    names = (rules.worker_id, rules.provider_study, rules.submission)
    return "&".join(f"{name}={{{{%{name}%}}}}" for name in names)
