"""`python -m preprocess candidates`: pick the windows of each pair that an expert sees."""

import argparse
import sys
from pathlib import Path

from postprocess.formats.writing import write_files
from preprocess.commands.options import named_path, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--windows", type=Path, required=True, metavar="FILE", help="written by `find`")
    add(
        "--scores", type=named_path, nargs="+", default=[], metavar="FILE",
        help="written by `score`, or TSV, CSV or Parquet with the columns window and score",
    )  # fmt: skip
    add(
        "--models", nargs="+", metavar="NAME",
        help="those of the files that contribute candidates, in this order (default: all)",
    )  # fmt: skip
    add("--number", type=positive, default=8, help="candidates per pair (default: 8)")
    add("--seed", type=int, default=1, help="of what is left to chance (default: 1)")
    add(
        "--match-distance", type=int, metavar="WORDS",
        help="let the two windows of a model differ by at most so many words in the distance "
        "between the two words of the pair",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="FILE", help="such as candidates.parquet")


def run(options: argparse.Namespace) -> int:
    """Pick and write the candidates; print how many pairs have enough."""
    from preprocess.selection.candidates import (
        Choice,
        describe_picking,
        pick_candidates,
        render_candidates,
    )
    from preprocess.selection.scores import choose_models, load_all_scores
    from preprocess.windows.table import load_settings, load_windows

    windows = load_windows(options.windows)
    scores = choose_models(load_all_scores(options.scores, windows["window"]), options.models)
    choice = Choice(options.number, options.seed, options.match_distance)
    candidates = pick_candidates(windows, scores, choice)
    files = [path for _, path in options.scores]
    origin = describe_picking(load_settings(options.windows), files, list(scores), choice)
    content = render_candidates(candidates, origin)
    write_files({options.out.name: content}, options.out.parent)
    per_pair = candidates.groupby("pair").size()
    sys.stdout.write(
        f"pairs      {len(per_pair):,}, {(per_pair == options.number).sum():,} of them with "
        f"{options.number} candidates, {(per_pair == 1).sum():,} with a single one\n"
        f"candidates {len(candidates):,}\nwritten    {options.out}\n"
    )
    return 0
