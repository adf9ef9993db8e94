"""Running one of the commands of a program, and telling the user what is wrong."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from postprocess.errors import UserError
from postprocess.extras import ExtraMissing


def run_program(
    names: tuple[str, str],
    description: str,
    commands: Mapping[str, tuple[str, str]],
    arguments: Sequence[str] | None = None,
) -> int:
    """Run a command and return its exit status; 2 for errors, after which nothing was written.

    `names` are that of the package and that of the installed script. `commands` has for each the
    module below the package's `commands`, and a line on what it does. A module has
    `add_arguments(parser)` and `run(options)`; it is imported if its command is named, and loads
    the libraries that it needs when it runs, so that help is quick.
    """
    package, script = names
    by_name = Path(sys.argv[0]).stem == script
    program = script if by_name else f"python -m {package}"
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog=program, description=description)
    subparsers = parser.add_subparsers(dest="command", required=True)
    for name, (module, about) in commands.items():
        of_command = subparsers.add_parser(name, help=about)
        if name in given[:1]:
            command = import_module(f"{package}.commands.{module}")
            command.add_arguments(of_command)
            of_command.set_defaults(run=command.run)
    options = parser.parse_args(given)
    try:
        return int(options.run(options))
    except (UserError, ExtraMissing) as error:
        sys.stderr.write(f"error: {error}\n")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"error: {place}{error.strerror or error}\n")
    return 2
