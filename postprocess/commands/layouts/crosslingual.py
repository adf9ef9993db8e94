"""`python -m postprocess crosslingual`: make pairs of two languages of the pairs of each."""

import argparse
import sys
from pathlib import Path

from postprocess.formats.tabular import render_rows
from postprocess.formats.writing import write_files

SOURCE, COLUMNS = "source.tsv", ("id", "source", "s", "t")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("first", type=Path, metavar="DIR", help="a folder that `load` has written")
    add("second", type=Path, metavar="DIR", help="the same pairs in another language")
    add("--seed", type=int, default=0, metavar="N", help="seed of their order (default: 0)")
    add("--out", type=Path, required=True, metavar="DIR", help="created if it does not exist")


def run(options: argparse.Namespace) -> int:
    """Write the items, scores and sources of the pairs of two languages."""
    from postprocess.layouts.crosslingual import cross
    from postprocess.layouts.published import SEMEVAL2017
    from postprocess.layouts.published_set import load_set, render_set

    sets = (load_set(SEMEVAL2017, folder) for folder in (options.first, options.second))
    crossed, sources = cross(*sets, seed=options.seed)
    table = render_rows(COLUMNS, ([source[name] for name in COLUMNS] for source in sources))
    files = render_set(crossed) | {SOURCE: table.encode()}
    sys.stdout.write(f"pairs     {len(crossed.items)}\n")
    for path in write_files(files, options.out):
        sys.stdout.write(f"written   {path}\n")
    return 0
