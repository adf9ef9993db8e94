"""`python -m postprocess load`: read a published data set of another layout."""

import argparse
import sys
from pathlib import Path

from postprocess.formats.writing import write_files
from postprocess.layouts import list_findings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = "See docs/layouts.md for the layouts and their files."
    add = parser.add_argument
    add("layout", metavar="LAYOUT", help="such as simlex")
    add("files", type=Path, nargs="+", metavar="FILE", help="the files of a data set, or a folder")
    add("--language", default="", metavar="CODE", help="such as en, or en-ar for two languages")
    add("--out", type=Path, required=True, metavar="DIR", help="created if it does not exist")


def run(options: argparse.Namespace) -> int:
    """Read a data set, and write its items, figures and ratings."""
    from postprocess.layouts.published import find_layout
    from postprocess.layouts.published_set import render_set
    from postprocess.layouts.reading import load_files

    published = load_files(find_layout(options.layout), options.files, options.language)
    for line in list_findings(published.warnings):
        sys.stderr.write(f"warning: {line}\n")
    sys.stdout.write(f"items     {len(published.items)}\n")
    for path in write_files(render_set(published), options.out):
        sys.stdout.write(f"written   {path}\n")
    return 0
