"""The command line of each script, and the lines and Markdown tables that it prints."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))  # scripts are run by their paths


def read_options(doc: str | None, **options: Any) -> argparse.Namespace:
    """Parse the command line, and print the load average of the machine.

    Each keyword is an option with its default or with default, help and perhaps choices. The
    default tells the type: a list takes several values, a bool is a switch, and a type has no
    default value.
    """
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, given in options.items():
        default, text, *choices = given if isinstance(given, tuple) else (given, None)
        settings: dict[str, Any] = {"help": text, "default": default}
        if isinstance(default, bool):
            settings["action"] = argparse.BooleanOptionalAction
        elif isinstance(default, type):
            settings |= {"type": default, "default": None}
        elif isinstance(default, list):
            settings |= {"type": type(default[0]), "nargs": "+"}
        else:
            settings["type"] = type(default)
        if choices:
            settings |= {"choices": choices[0], "metavar": name.upper()}
        parser.add_argument(f"--{name.replace('_', '-')}", **settings)
    read = parser.parse_args()
    sys.stderr.write(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}\n")
    return read


def say(text: str = "") -> None:
    """Write a line and flush."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def number(value: float) -> str:
    """Return a number with about three digits."""
    places = 0 if value >= 200 else 1 if value >= 10 else 2
    return f"{value:.{places}f}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
