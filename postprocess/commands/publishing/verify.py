"""`python -m postprocess verify`: compute all figures of a release again from its ratings."""

import argparse
import sys
from pathlib import Path

EPILOG = (
    "Exit status: 0 everything follows from the ratings, 1 something does not, 2 the folder is not "
    "a release, 3 confirmed with reservations: parts could not be checked. See docs/releases.md."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder of a release (default: current folder)",
    )


def run(options: argparse.Namespace) -> int:
    """Print the verification; return its exit status."""
    from postprocess.release.verification.verifying import render_verification, verify_release

    verification = verify_release(options.folder)
    sys.stdout.write(render_verification(verification))
    if verification.differences:
        return 1
    return 0 if verification.is_confirmed else 3
