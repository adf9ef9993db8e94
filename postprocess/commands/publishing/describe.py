"""`python -m postprocess describe`: print a description to fill in, for `release`."""

import argparse
import sys
from pathlib import Path

from postprocess.commands.publishing.release import read_description


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "description", nargs="?", type=Path, metavar="FILE", help="an existing description"
    )


def run(options: argparse.Namespace) -> int:
    """Print the description template."""
    from postprocess.release.description.template import render_template

    sys.stdout.write(render_template(read_description(options.description)))
    return 0
