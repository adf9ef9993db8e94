"""`python -m preprocess stimuli`: write the stimuli file of the windows that were chosen."""

import argparse
import sys
from pathlib import Path

from postprocess.formats.tabular import naming_file
from postprocess.formats.writing import write_files
from postprocess.origin import render_origin
from preprocess.commands.options import language_code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--windows", type=Path, required=True, metavar="FILE", help="of `find` or `candidates`")
    add(
        "--selection", type=Path, required=True, metavar="FILE",
        help="TSV with the columns window1 and window2, a row per pair",
    )  # fmt: skip
    add(
        "--language", type=language_code, required=True, metavar="CODE", help="such as hr",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="DIR", help="created if it does not exist")


def run(options: argparse.Namespace) -> int:
    """Write data_<lang>.tsv, sources_<lang>.tsv and origin_<lang>.json; print warnings."""
    from preprocess.selection.stimuli import load_selection, make_stimuli
    from preprocess.windows.table import load_settings, load_windows

    windows = load_windows(options.windows)
    with naming_file(options.selection):
        stimuli, sources, warnings = make_stimuli(windows, load_selection(options.selection))
    origin = load_settings(options.windows)
    files = {
        f"data_{options.language}.tsv": stimuli.encode(),
        f"sources_{options.language}.tsv": sources.encode(),
        f"origin_{options.language}.json": render_origin(origin),
    }
    paths = write_files(files, options.out)
    sys.stderr.write("".join(f"{options.selection}: warning: {warning}\n" for warning in warnings))
    sys.stdout.write("".join(f"written   {path}\n" for path in paths))
    return 0
