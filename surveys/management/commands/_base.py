import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper

from surveys.access.audit_log import acting
from surveys.errors import SurveyError
from surveys.models import Study
from surveys.operations.migration_guard import refuse_newer_database, refuse_older_database
from surveys.query_params import read_number
from surveys.recruitment.links import CODE
from surveys.recruitment.reaching import warn_unreachable

MOST_AT_ONCE = 100_000
STANDARD_INPUT = "-"
COMMAND_LINE = "the command line"


class SurveyCommand(BaseCommand):
    """A command that shows what an action refuses as its own error.

    It refuses a database that does not fit the code, unless `needs_fitting_database` is False.
    """

    needs_fitting_database = True

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            if self.needs_fitting_database:
                refuse_newer_database()
                refuse_older_database()
            with acting(COMMAND_LINE):
                return super().execute(*args, **options)
        except SurveyError as error:
            raise CommandError(str(error)) from error


def warn_of_links(command: BaseCommand) -> None:
    """Say on standard error where the links that are printed would not open elsewhere."""
    if warning := warn_unreachable():
        command.stderr.write(command.style.WARNING(f"warning: {warning}"))


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


def read_text(name: str) -> str:
    """What a UTF-8 file holds, or standard input for `-`. Raises CommandError."""
    data = sys.stdin.buffer.read() if name == STANDARD_INPUT else read_file(Path(name))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{name} is not UTF-8 text: byte {error.start + 1}. Save it as UTF-8."
        ) from error


def refuse_unwritable(path: Path) -> None:
    """Raise CommandError for a file that could not be written later; what it holds stays."""
    try:
        path.open("a").close()
    except OSError as error:
        raise CommandError(f"Cannot write {path}: {error.strerror}.") from error


def write_chunks(chunks: Iterable[str], path: Path | None, stdout: OutputWrapper) -> None:
    """Write a text piece by piece to a file, or else to standard output. Raises CommandError."""
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
    """A point of a scale, as an argument of a command."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise ArgumentTypeError(f"{text!r} is not a number such as 6 or 0.5")
    return number


def positive(text: str) -> int:
    """How many of something to make, as an argument of a command."""
    number = read_number(text, MOST_AT_ONCE)
    if not number:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST_AT_ONCE}")
    return number


def words(most: int) -> Callable[[str], str]:
    """Something said, of so many characters at most, as an argument of a command."""

    def check(text: str) -> str:
        if not 1 <= len(text.strip()) <= most:
            raise ArgumentTypeError(f"say it in 1 to {most} characters, not {len(text.strip())}")
        return text.strip()

    return check


def code(text: str) -> str:
    """A completion code, as an argument of a command."""
    if not CODE.fullmatch(text):
        raise ArgumentTypeError(
            f"{text!r} is no code: 1 to 40 letters a to z, digits, hyphens and underscores"
        )
    return text
