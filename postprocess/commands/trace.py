"""`python -m postprocess trace`: show the ratings of a published score."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.formats.stimuli import parse_stimuli
from postprocess.naming import NamedFile, find_datasets, read_tag
from postprocess.reporting.phrases import NONE
from postprocess.table.scale import RatingsError

if TYPE_CHECKING:
    import pandas as pd


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        help="folder of a release (default: current folder)",
    )
    add("--pair", type=int, required=True, metavar="ROW", help="row of the dataset, from 1")
    add("--context", type=int, required=True, choices=(1, 2))


def run(options: argparse.Namespace) -> int:
    """Recompute a release and show one of its contexts; return 1 if the figures differ."""
    import numpy as np

    from postprocess.formats.files import format_number
    from postprocess.formats.reading import load_checks, load_ratings
    from postprocess.pipeline import RECIPE_FILE
    from postprocess.steps.ledger import trace_context
    from postprocess.steps.post_process import post_process
    from postprocess.steps.recipe import read_recipe

    named = find_dataset(options.folder)
    dataset_file, tag = options.folder / named.path, named.tag
    published = read_published(dataset_file, tag)
    ratings = load_ratings(find_ratings(options.folder, tag), read_tag(tag))
    checks_file = options.folder / f"checkpoints_{tag}.csv"
    outcome = post_process(
        ratings,
        read_recipe(str(options.folder / RECIPE_FILE)),
        n_pairs=len(published),
        checks=load_checks(checks_file) if checks_file.exists() else None,
    )
    sys.stdout.write(trace_context(outcome, options.pair, options.context))
    column = f"sim{options.context}"
    printed = format_number(float(published.loc[options.pair, column]))
    computed = format_number(float(outcome.scores[column].get(options.pair, np.nan)))
    same = "the same" if printed == computed else "NOT THE SAME"
    sys.stdout.write(f"\n{dataset_file.name} has {column} {printed or NONE}: {same}\n")
    return 0 if printed == computed else 1


def read_published(dataset_file: Path, tag: str) -> "pd.DataFrame":
    """Return the dataset of a release, its practice pairs and those without scores; index pair."""
    import pandas as pd

    from postprocess.formats.files import read_dataset
    from postprocess.pipeline import name_unscored
    from postprocess.release.kit import PRACTICE

    parts = [read_dataset(dataset_file.read_bytes())]
    practice = dataset_file.parent / PRACTICE / dataset_file.name
    if practice.exists():
        parts.append(read_dataset(practice.read_bytes()))
    unscored = dataset_file.parent / name_unscored(tag)
    if unscored.exists():
        parts.append(pd.DataFrame(index=range(len(parse_stimuli(unscored.read_bytes()).rows))))
    published = pd.concat(parts, ignore_index=True)
    return published.set_index(pd.RangeIndex(1, len(published) + 1, name="pair"))


def find_ratings(folder: Path, tag: str) -> Path:
    """Return the ratings file of a release folder. Raises RatingsError."""
    names = [f"ratings_{tag}.{ending}" for ending in ("tsv", "csv", "parquet")]
    if paths := [folder / name for name in names if (folder / name).exists()]:
        return paths[0]
    raise RatingsError(f"{folder} contains none of {', '.join(names)}")


def find_dataset(folder: Path) -> NamedFile:
    """Return the file of the dataset in a release folder. Raises RatingsError."""
    datasets = find_datasets(sorted(path.name for path in folder.glob("*.csv")))
    if len(datasets) != 1:
        raise RatingsError(
            f"{folder} must contain one file <name>_<lang>.csv, but has {len(datasets)}"
        )
    return datasets[0]
