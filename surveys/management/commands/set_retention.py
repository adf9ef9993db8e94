from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser

from surveys.management.commands._base import SurveyCommand, find_study
from surveys.privacy.retention import set_retention
from surveys.query_params import read_number

NEVER = "never"


class Command(SurveyCommand):
    help = "Set how many days after payment a study drops ids and notes (see drop_personal_data)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("days", type=days, help=f"a number of days, or {NEVER}")

    def handle(self, *, days: int, **options: Any) -> None:
        study = set_retention(find_study(options["study"]), None if days < 0 else days)
        period = "without limit" if study.retention_days is None else f"{study.retention_days} days"
        self.stdout.write(f"{study}: personal data is kept {period} after payment.")


def days(text: str) -> int:
    """Parse a number of days; -1 means never."""
    if text == NEVER:
        return -1
    number = read_number(text)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is neither a number of days nor {NEVER!r}")
    return number
