"""`python -m postprocess verify`: compute all figures of a release again from its ratings."""

import argparse
import sys
from pathlib import Path

from postprocess.release.verification.verifying import render_verification, verify_release

EPILOG = (
    "Exit status: 0 everything follows from the ratings, 1 something does not, 2 the folder is not "
    "a release, 3 confirmed with reservations: parts could not be checked. See docs/releases.md."
)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "verify", help="compute all figures of a release again from its ratings", epilog=EPILOG
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder of a release (default: current folder)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the verification; return its exit status."""
    found = verify_release(options.folder)
    sys.stdout.write(render_verification(found))
    if found.differences:
        return 1
    return 0 if found.is_confirmed else 3
