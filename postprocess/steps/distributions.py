"""Each context's distribution of ratings, before and after a recipe's steps."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa

from postprocess.statistics.correlations import ratio
from postprocess.statistics.disagreement import measure_disagreement
from postprocess.statistics.histograms import place_on_scale
from postprocess.steps.exclusion import COUNTED
from postprocess.steps.post_process import Outcome
from postprocess.steps.recipe import Recipe
from postprocess.table.ratings import number_items
from postprocess.table.rendering import write_figures, write_parquet
from postprocess.types import Integers

KINDS = ("given", "used")  # before calibration and filtering, and after them
MEASURES = ("entropy", "polarisation", "agreement")


def measure_distributions(outcome: Outcome) -> pd.DataFrame:
    """Measure how the ratings of each context are distributed over the points of the scale.

    Parameters
    ----------
    outcome : Outcome
        The result of `post_process`.

    Returns
    -------
    DataFrame, shape (n_contexts, 10 + 2 × n_points)
        pair, context; for ratings as given (`given`: those that count, before calibration and
        filtering) and for those in the scores (`used`) the number n_given, the measures of
        `measure_disagreement` (entropy_given, polarisation_given, agreement_given), and the share
        of each point of the survey's scale: given_0, given_1, …; NaN if undefined. A calibrated
        rating between two points counts at the nearest one.

    Examples
    --------
    >>> from postprocess.steps.post_process import post_process
    >>> from postprocess.steps.recipe import read_recipe
    >>> ratings = pd.DataFrame({"pair": 1, "context": [1, 1, 2, 2], "annotator": list("ABAB"),
    ...                         "rating": [0, 6, 2, 2]})
    >>> table = measure_distributions(post_process(ratings, read_recipe("raw"), n_pairs=1))
    >>> table[["context", "entropy_used", "used_0", "used_6"]].values.tolist()
    [[1.0, 1.0, 0.5, 0.5], [2.0, 0.0, 0.0, 0.0]]
    """
    n_contexts = outcome.n_contexts
    item = np.arange(n_contexts * len(outcome.pairs))
    parts = [pd.DataFrame({"pair": item // n_contexts + 1, "context": item % n_contexts + 1})]
    points = list_points(outcome.recipe)
    for kind in KINDS:
        counts = _count(outcome, kind)
        n_ratings = counts.sum(axis=1)
        measures = measure_disagreement(counts)[list(MEASURES)].add_suffix(f"_{kind}")
        measures.insert(0, f"n_{kind}", n_ratings)
        names = [f"{kind}_{point}" for point in points]
        parts += [measures, pd.DataFrame(ratio(counts, n_ratings[:, None]), columns=names)]
    return pd.concat(parts, axis="columns")


def list_points(recipe: Recipe) -> list[str]:
    """Return the points of the survey's scale as they are written in the names of columns."""
    scale = recipe.scale.as_scale()
    return [f"{scale.minimum + place * scale.step:.12g}" for place in range(scale.n_points)]


def write_distributions_parquet(table: pd.DataFrame) -> bytes:
    """Return the content of `distributions_<lang>.parquet`: the columns of the table."""
    integers = dict.fromkeys(("pair", "n_given", "n_used"), pa.int32()) | {"context": pa.int8()}
    columns = {str(name): table[name].to_numpy() for name in table}
    return write_parquet(columns, {name: integers.get(name, pa.float64()) for name in columns})


def render_distributions(table: pd.DataFrame, outcome: Outcome, language: str) -> str:
    """Return the text of `distributions_<lang>.json`, a line for each context."""
    points = list_points(outcome.recipe)
    scale = outcome.recipe.scale.as_scale()
    ends = f'"minimum": {scale.minimum:.12g}, "maximum": {scale.maximum:.12g}'
    measures = ", ".join(f'"{name}": %s' for name in ("n", *MEASURES))
    shares = ", ".join(["%s"] * len(points))
    kinds = ", ".join(f'"{kind}": {{{measures}, "shares": [{shares}]}}' for kind in KINDS)
    line = f'    {{"pair": %s, "context": %s, {kinds}}}'
    columns = [_write_numbers(table[name]) for name in table]
    return (
        f'{{\n  "language": {json.dumps(language)},\n'
        f'  "scale": {{{ends}, "step": {scale.step:.12g}}},\n'
        f'  "points": [{", ".join(points)}],\n'
        '  "contexts": [\n'
        + ",\n".join(line % row for row in zip(*columns, strict=True))
        + "\n  ]\n}\n"
    )


def _count(outcome: Outcome, kind: str) -> Integers:
    """Count the ratings of each context at each point, shape (n_contexts, n_points)."""
    ledger, scale = outcome.ledger, outcome.recipe.scale.as_scale()
    if kind == "given":
        rows, column = ledger[ledger["calibrated"].notna()], "rating"
    else:
        rows, column = ledger[ledger["reason"] == COUNTED], "calibrated"
    points = place_on_scale(rows[column].to_numpy(dtype=float), scale)
    place = number_items(rows, outcome.n_contexts) * np.int64(scale.n_points) + points
    shape = outcome.n_used.size, scale.n_points
    return np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)


def _write_numbers(column: pd.Series) -> list[str]:
    """Return numbers in JSON, NaN as null."""
    return pd.Series(write_figures(column)).astype(object).fillna("null").tolist()
