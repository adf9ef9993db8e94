"""`python -m postprocess describe`: print a description to fill in, for `release`."""

import argparse
import sys
from pathlib import Path

from postprocess.commands.publishing.release import read_description
from postprocess.release.description.template import render_template


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "describe", help="print a description file with comments for missing entries"
    )
    parser.add_argument(
        "description", nargs="?", type=Path, metavar="FILE", help="an existing description"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the description template."""
    sys.stdout.write(render_template(read_description(options.description)))
    return 0
