"""Items of one context with their scores, as files."""

from collections.abc import Iterable, Sequence
from itertools import compress

import pandas as pd
import pyarrow as pa

from postprocess.designs.design import Design
from postprocess.formats.files import format_number
from postprocess.formats.parsed import render_checked
from postprocess.formats.tabular import render_rows
from postprocess.steps.ledger import name_single
from postprocess.steps.recipe import Recipe
from postprocess.table.rendering import write_parquet

Row = Sequence[str]


def name_score(design: Design) -> str:
    """Return the column of the scores: "tag" for answers to a yes-or-no question."""
    return "tag" if design.question.question == "same_meaning" else "score"


def write_scores(design: Design, recipe: Recipe, scores: Iterable[float]) -> list[str]:
    """Return scores as in files: T and F, the upper and lower end of the scale, or three digits.

    Raises KeyError for an item without a tag.
    """
    if name_score(design) == "tag":
        tags = {recipe.rescaling.maximum: "T", recipe.rescaling.minimum: "F"}
        return [tags[score] for score in scores]
    return [format_number(score) for score in scores]


def render_scored(
    design: Design,
    recipe: Recipe,
    columns: Sequence[str],
    rows: Sequence[Row],
    pairs: pd.DataFrame,
) -> dict[str, bytes]:
    """Return the files of items, by their kind: "items", "gold", "csv" and "parquet".

    `pairs` has the figures of each row. Items without a score are left out.
    """
    is_scored = pairs["sim1"].notna()
    rows, scores = list(compress(rows, is_scored)), name_single(pairs[is_scored])
    written = write_scores(design, recipe, scores["score"])
    ids = [row[columns.index("id")] for row in rows]
    others = [str(name) for name in scores if name not in ("score", "note")]
    figures = zip(written, *(map(format_number, scores[name]) for name in others), strict=True)
    header = (*columns, name_score(design), *others)
    gold = render_rows(("id", name_score(design)), zip(ids, written, strict=True))
    lines = ((*row, *more) for row, more in zip(rows, figures, strict=True))
    table: dict[str, object] = {"pair": scores.index.to_numpy()}
    kinds: dict[str, pa.DataType] = {"pair": pa.int32()}
    for place, name in enumerate(columns):
        table[name], kinds[name] = [row[place] for row in rows], pa.string()
    is_tag = name_score(design) == "tag"
    table[name_score(design)] = written if is_tag else scores["score"].to_numpy()
    kinds[name_score(design)] = pa.string() if is_tag else pa.float64()
    for name in others:
        table[name] = scores[name].to_numpy()
        kinds[name] = pa.int32() if name == "n" else pa.float64()
    return {
        "items": render_checked(columns, rows).encode(),
        "gold": gold.encode(),
        "csv": render_rows(header, lines).encode(),
        "parquet": write_parquet(table, kinds),
    }
