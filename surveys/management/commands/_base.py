from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.errors import SurveyError
from surveys.models import Study

MOST_AT_ONCE = 100_000


class SurveyCommand(BaseCommand):
    """A command that shows what an action refuses as its own error."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except SurveyError as error:
            raise CommandError(str(error)) from error


def find_study(slug: str) -> Study:
    """The study of that name. Raises CommandError with the names there are."""
    if study := Study.objects.filter(slug=slug).first():
        return study
    known = ", ".join(Study.objects.values_list("slug", flat=True)) or "none yet"
    raise CommandError(f"There is no study {slug!r}. Studies: {known}.")


def read_file(path: Path) -> bytes:
    """What a file holds. Raises CommandError when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"Cannot read {path}: {error.strerror}.") from error


def positive(text: str) -> int:
    """How many of something to make, as an argument of a command."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST_AT_ONCE:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST_AT_ONCE}")
    return int(text)
