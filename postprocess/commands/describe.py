"""`python -m postprocess describe`: a description to fill in, for `release`."""

import argparse
import sys
from pathlib import Path

from postprocess.commands.release import read_description
from postprocess.release.template import render_template


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "describe", help="print a description file, with what is still to be written marked"
    )
    parser.add_argument(
        "description", nargs="?", type=Path, metavar="FILE", help="what is written already"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the form."""
    sys.stdout.write(render_template(read_description(options.description)))
    return 0
