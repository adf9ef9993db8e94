"""`python -m preprocess predict`: the contextual baseline of a shared task, as result files."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from postprocess.baselines.results import find_language, read_pairs, render_results
from postprocess.formats.tabular import naming_file
from postprocess.formats.writing import write_files
from postprocess.scoring.figures import score_once
from postprocess.scoring.gold import GoldError, Part, load_parts
from postprocess.scoring.metrics import CHANGES, SIMILARITIES
from postprocess.types import Floats
from preprocess.commands.options import layer, positive
from preprocess.commands.progress import showing_progress
from preprocess.models.cache import SimilarityCache
from preprocess.models.loading import ALL, BATCH_SIZE, LAST, Precision
from preprocess.models.predicting import predict_similarities

EPILOG = "See docs/scoring.md for an example, and docs/contexts.md for how to get a model."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="FILE", help="such as data_sl.tsv")
    add(
        "--model", type=Path, required=True, metavar="FOLDER",
        help="of a model as transformers saves it",
    )  # fmt: skip
    add(
        "--layer", type=layer, default=LAST, metavar="N",
        help="a number from 0 (before the first layer), last or all (default: last)",
    )  # fmt: skip
    add(
        "--batch", type=positive, default=BATCH_SIZE, metavar="N",
        help="texts that the model reads at a time (default: %(default)s)",
    )  # fmt: skip
    add(
        "--precision", type=Precision, choices=list(Precision), default=Precision.FP32,
        help="bf16 is faster on processors that compute with it (default: fp32)",
    )  # fmt: skip
    add("--gold", type=Path, metavar="DIR", help="with gold_<lang>.tsv, to print the scores")
    add("--language", metavar="CODE", help="if the name of the data file does not have it")
    add(
        "--cache", type=Path, metavar="DIR",
        help="where all similarities are kept (default: next to --out)",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="DIR", help="for both result files")


def run(options: argparse.Namespace) -> int:
    """Predict and write the result files; print the scores if the gold is given."""
    language = find_language(options.data, options.language)
    with naming_file(options.data):
        pairs = read_pairs(options.data)
    part = _find_gold(options.gold, language, len(pairs)) if options.gold else None
    folder = options.cache or options.out.with_name(f"{options.out.name}.cache")
    cache = SimilarityCache(folder, options.model, options.precision)
    with showing_progress() as progress, naming_file(options.data):
        similarities = predict_similarities(
            options.model,
            pairs,
            cache,
            layer=options.layer,
            batch_size=options.batch,
            progress=partial(progress, f"reading {options.data.name}"),
        )
    files = _render_all(similarities, language, in_folders=options.layer == ALL)
    for path in write_files(files, options.out):
        sys.stdout.write(f"written   {path}\n")
    if part:
        sys.stdout.write(render_sweep(similarities, part))
    return 0


def render_sweep(of_layer: Mapping[int, Floats], part: Part) -> str:
    """Return the scores of layers as a table; say that the best of several was chosen on the gold.

    `of_layer`: by the number of the layer, similarities of shape (n_pairs, 2).
    """
    scores = {number: _score(similarities, part) for number, similarities in of_layer.items()}
    lines = ["layer  subtask 1  subtask 2"]
    lines += [f"{number:>5}  {change:9.3f}  {sim:9.3f}" for number, (change, sim) in scores.items()]
    if len(scores) > 1:
        best = [max(scores, key=lambda number: scores[number][column]) for column in (0, 1)]
        lines += [
            f"Best: layer {best[0]} in subtask 1, layer {best[1]} in subtask 2. They were chosen",
            "on the gold, so their scores are too high for other data. The last layer,",
            f"number {max(scores)}, was fixed beforehand.",
        ]
    return "".join(f"{line}\n" for line in lines)


def _score(similarities: Floats, part: Part) -> tuple[float, float]:
    changes = np.diff(similarities)[:, 0]
    return (
        score_once(CHANGES.metric, changes, part.find_gold(CHANGES)).score,
        score_once(SIMILARITIES.metric, similarities, part.find_gold(SIMILARITIES)).score,
    )


def _render_all(
    found: Mapping[int, Floats], language: str, *, in_folders: bool
) -> dict[str, bytes]:
    """Return the result files, in a folder for each layer if there may be several."""
    return {
        f"layer{number}/{name}" if in_folders else name: content
        for number, similarities in found.items()
        for name, content in render_results(similarities, language).items()
    }


def _find_gold(folder: Path, language: str, n_pairs: int) -> Part:
    """Return the gold of a language. Raises GoldError."""
    parts = load_parts(folder)
    if language not in parts:
        raise GoldError(f"{folder} has no gold_{language}.tsv, only {', '.join(_names(parts))}")
    if parts[language].n_pairs != n_pairs:
        what = f"{parts[language].n_pairs:,} pairs, and the data file has {n_pairs:,}"
        raise GoldError(f"gold_{language}.tsv has {what}")
    return parts[language]


def _names(parts: Mapping[str, Part]) -> Iterator[str]:
    return (f"gold_{language}.tsv" for language in parts)
