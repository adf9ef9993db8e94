"""`python -m postprocess family`: the releases of one data set in several languages."""

import argparse
import sys
from pathlib import Path

from postprocess.extras import require_report
from postprocess.formats.writing import write_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = "See docs/comparison.md for the columns of the key."
    add = parser.add_argument
    add("folders", type=Path, nargs="+", metavar="DIR", help="folder of a release, one a language")
    add("--key", type=Path, metavar="FILE", help="the source list's pairs in each language")
    add("--out", type=Path, required=True, metavar="DIR", help="created if it does not exist")


def run(options: argparse.Namespace) -> int:
    """Compare the releases and write page, tables and figures."""
    require_report()
    from postprocess.families.comparing import compare_family, load_member
    from postprocess.families.page import render_family

    family = compare_family([*map(load_member, options.folders)], options.key)
    sys.stdout.write("".join(f"{warning}\n" for warning in family.report["warnings"]))
    for path in write_files(render_family(family), options.out):
        sys.stdout.write(f"written   {path}\n")
    return 0
