import sys
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper
from django.db import models

from surveys.access.audit_log import acting
from surveys.errors import ImportRefused, SurveyError
from surveys.models import Study
from surveys.models.fields import field_of
from surveys.operations.migration_guard import refuse_unfit_database
from surveys.query_params import read_number
from surveys.recruitment.links import CODE
from surveys.recruitment.reaching import warn_unreachable
from surveys.study.stimuli.kinds import decode_file

MAX_COUNT = 100_000
STANDARD_INPUT = "-"
COMMAND_LINE = "the command line"


class SurveyCommand(BaseCommand):
    """A command that reports the refusal of an action as its own error.

    It refuses a database that does not fit the code, unless `needs_fitting_database` is False.
    """

    needs_fitting_database = True
    requires_system_checks = ()  # they load every page; `migrate` and `check` make them

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            if self.needs_fitting_database:
                refuse_unfit_database()
            with acting(COMMAND_LINE):
                return super().execute(*args, **options)
        except SurveyError as error:
            raise CommandError(str(error)) from error

    def warn(self, text: str) -> None:
        """Print a warning on standard error."""
        self.stderr.write(self.style.WARNING(text))

    def warn_of_links(self) -> None:
        """Warn if printed links would not open on other machines."""
        if warning := warn_unreachable():
            self.warn(f"warning: {warning}")


def add_settings(parser: CommandParser, model: type[models.Model], *names: str) -> None:
    """Add an option for each of a model's fields, in the words and choices of the model."""
    for name in names:
        field = field_of(model, name)
        option: dict[str, Any] = {"dest": name, "help": f"{field.verbose_name}. {field.help_text}"}
        if isinstance(field, models.BooleanField):
            option["action"] = BooleanOptionalAction
        elif field.choices:
            option["choices"] = [choice for choice, _ in field.flatchoices]
        elif isinstance(field, models.IntegerField):
            option |= {"type": int, "metavar": "N"}
        elif isinstance(field, models.DecimalField):
            option |= {"type": decimal, "metavar": "X"}
        parser.add_argument(f"--{name.removeprefix('n_').replace('_', '-')}", **option)


def find_study(slug: str) -> Study:
    """Return the study with this name. Raises CommandError with the existing names."""
    if study := Study.objects.filter(slug=slug).first():
        return study
    slugs = ", ".join(Study.objects.values_list("slug", flat=True)) or "none yet"
    raise CommandError(f"Unknown study {slug!r}. Studies: {slugs}.")


def find_account(username: str) -> User:
    """Return the active account with this name. Raises CommandError."""
    if user := User.objects.filter(username=username, is_active=True).first():
        return user
    raise CommandError(f"There is no account {username!r}.")


def read_file(path: Path) -> bytes:
    """Return the contents of a file. Raises CommandError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"Cannot read {path}: {error.strerror}.") from error


def read_text(name: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises CommandError."""
    data = sys.stdin.buffer.read() if name == STANDARD_INPUT else read_file(Path(name))
    try:
        return decode_file(data)
    except ImportRefused as error:
        raise CommandError(f"{name}: {error}") from error


def refuse_unwritable(path: Path) -> None:
    """Raise CommandError if a file could not be written later; its contents stay."""
    try:
        path.open("a").close()
    except OSError as error:
        raise CommandError(f"Cannot write {path}: {error.strerror}.") from error


def write_chunks(chunks: Iterable[str], path: Path | None, stdout: OutputWrapper) -> None:
    """Write a text in chunks to a file, or to standard output. Raises CommandError."""
    if path is None:
        for chunk in chunks:
            stdout.write(chunk, ending="")
        return
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(chunks)
    except OSError as error:
        raise CommandError(f"Cannot write {path}: {error.strerror}.") from error


def decimal(text: str) -> Decimal:
    """Return a point of a scale from a command argument."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise ArgumentTypeError(f"{text!r} is not a number such as 6 or 0.5")
    return number


def positive(text: str) -> int:
    """Return a positive count from a command argument."""
    number = read_number(text, MAX_COUNT)
    if not number:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MAX_COUNT}")
    return number


def words(most: int) -> Callable[[str], str]:
    """Return a type for command arguments: a text of limited length."""

    def check(text: str) -> str:
        if not 1 <= len(text.strip()) <= most:
            raise ArgumentTypeError(f"use 1 to {most} characters, not {len(text.strip())}")
        return text.strip()

    return check


def code(text: str) -> str:
    """Return a completion code from a command argument."""
    if not CODE.fullmatch(text):
        raise ArgumentTypeError(
            f"{text!r} is not a code: use 1 to 40 letters a to z, digits, hyphens and underscores"
        )
    return text
