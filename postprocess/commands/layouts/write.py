"""`python -m postprocess write`: write a data set in the layout in which it was published."""

import argparse
import sys
from pathlib import Path

from postprocess.formats.writing import write_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = "See docs/layouts.md for the layouts and their files."
    add = parser.add_argument
    add("layout", metavar="LAYOUT", help="such as simlex")
    add("folder", type=Path, metavar="DIR", help="a folder that `load` has written")
    add("--out", type=Path, required=True, metavar="DIR", help="created if it does not exist")


def run(options: argparse.Namespace) -> int:
    """Write the files of a layout."""
    from postprocess.layouts.published import find_layout
    from postprocess.layouts.published_set import load_set
    from postprocess.layouts.writing import write_set

    published = load_set(find_layout(options.layout), options.folder)
    for path in write_files(write_set(published), options.out):
        sys.stdout.write(f"written   {path}\n")
    return 0
