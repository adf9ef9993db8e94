"""`python -m preprocess score`: let models say how similar the two words are in each window."""

import argparse
import hashlib
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postprocess.formats.tabular import cut_lines
from postprocess.version import __version__
from preprocess.commands.options import layer, named_path
from preprocess.commands.progress import showing_progress
from preprocess.models.loading import LAST, Precision

if TYPE_CHECKING:
    import pandas as pd

    from preprocess.models.cache import SimilarityCache
    from preprocess.models.similarity import Progress, UnusableTexts
    from preprocess.selection.scores import ScoresError

MOST_NAMED = 5  # windows in a message
EPILOG = "See docs/contexts.md for an example, and for how to get a model."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("--windows", type=Path, required=True, metavar="FILE", help="written by `find`")
    add(
        "--model", dest="models", type=named_path, nargs="+", default=[], metavar="FOLDER",
        help="of a model as transformers saves it, or NAME=FOLDER",
    )  # fmt: skip
    add(
        "--layer", dest="layers", type=layer, nargs="+", default=[LAST], metavar="N",
        help="numbers from 0 (before the first layer), last or all (default: last)",
    )  # fmt: skip
    add(
        "--precision", type=Precision, choices=list(Precision), default=Precision.FP32,
        help="bf16 is faster on processors that compute with it (default: fp32)",
    )  # fmt: skip
    add(
        "--scores", type=named_path, nargs="+", default=[], metavar="FILE",
        help="of other models: TSV, CSV or Parquet with the columns window and score, or NAME=FILE",
    )  # fmt: skip
    add(
        "--cache", type=Path, metavar="DIR",
        help="where all scores are kept, so that none is computed again (default: next to --out)",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="FILE", help="such as scores.parquet")


def run(options: argparse.Namespace) -> int:
    """Score the windows and write all scores; print a summary of each model and layer."""
    from preprocess.models.cache import SimilarityCache
    from preprocess.selection.scores import (
        ScoresError,
        join_scores,
        load_all_scores,
        summarise_scores,
        write_scores,
    )
    from preprocess.windows.table import load_windows

    if not options.models and not options.scores:
        raise ScoresError("nothing gives scores; add --model or --scores")
    windows = load_windows(options.windows)
    if windows.empty:
        raise ScoresError(f"{options.windows}: the file has no windows that were kept")
    scores = load_all_scores(options.scores, windows["window"])
    models = {name or folder.resolve().name: folder for name, folder in options.models}
    if len(models) < len(options.models):
        raise ScoresError("two models have one name; give one another, as in NAME=FOLDER")
    folder = options.cache or options.out.with_suffix(".cache")
    caches = {
        name: SimilarityCache(folder, model, options.precision) for name, model in models.items()
    }
    with showing_progress() as progress:
        for name, model in models.items():
            show = partial(progress, f"scoring by {name}")
            scores = join_scores(scores, _score(name, model, caches[name], windows, options, show))
    write_scores(options.out, windows["window"], scores, _settings(options, caches))
    table = summarise_scores(windows, scores)
    sys.stdout.write(table.reset_index().to_string(index=False, float_format="{:.3f}".format))
    sys.stdout.write(f"\nwritten   {options.out}\n")
    return 0


def _score(
    name: str,
    model: Path,
    cache: "SimilarityCache",
    windows: "pd.DataFrame",
    options: argparse.Namespace,
    progress: "Progress",
) -> "dict[str, pd.Series]":
    """Return the scores of the wanted layers of a model. Raises ScoresError, naming windows."""
    import pandas as pd

    from preprocess.models.scoring import score_contexts
    from preprocess.models.similarity import UnusableTexts
    from preprocess.windows.table import make_context

    contexts = [make_context(row) for row in windows.to_dict("records")]
    try:
        scores = score_contexts(model, contexts, cache, layers=options.layers, progress=progress)
    except UnusableTexts as error:
        raise _refuse(error, model, options, windows["window"]) from error
    return {f"{name}@{layer}": pd.Series(values, dtype=float) for layer, values in scores.items()}


def _refuse(
    error: "UnusableTexts", model: Path, options: argparse.Namespace, windows: "pd.Series[str]"
) -> "ScoresError":
    """Return the error that names the windows of texts that a model cannot score."""
    from preprocess.selection.scores import ScoresError

    named = [f"window {windows.iloc[number]}: {what}" for number, what in error.problems.items()]
    what = (
        f"{model}: the model cannot score {len(named):,} of {len(windows):,} windows; remove them "
        f"from {options.windows}, or find shorter windows (`find --filter words=20..60`)"
    )
    return ScoresError("\n".join([what, *cut_lines(named, MOST_NAMED)]))


def _settings(
    options: argparse.Namespace, caches: "Mapping[str, SimilarityCache]"
) -> dict[str, Any]:
    """Return what the file of scores says about their origin."""
    return {
        "version": __version__,
        "windows": options.windows.name,
        "models": {name: [cache.digest, cache.precision] for name, cache in caches.items()},
        "files": {
            name or path.stem: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in options.scores
        },
    }
