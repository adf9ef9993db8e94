"""Running one of the commands of a program, and telling the user what is wrong."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Command(Protocol):
    """A module that adds its parser and has the parser's options run."""

    def add_parser(self, subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        """Add the command and its options."""


def run_program(
    names: tuple[str, str],
    description: str,
    commands: Sequence[Command],
    errors: tuple[type[Exception], ...],
    arguments: Sequence[str] | None = None,
) -> int:
    """Run a command and return its exit status; 2 for errors, after which nothing was written.

    `names` are that of the module and that of the installed script; `errors` those whose messages
    are meant for users.
    """
    module, script = names
    by_name = Path(sys.argv[0]).stem == script
    program = script if by_name else f"python -m {module}"
    parser = argparse.ArgumentParser(prog=program, description=description)
    subparsers = parser.add_subparsers(dest="command", required=True)
    for command in commands:
        command.add_parser(subparsers)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except errors as error:
        sys.stderr.write(f"error: {error}\n")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"error: {place}{error.strerror or error}\n")
    return 2
