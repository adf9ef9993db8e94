"""The evaluation kit: dataset, data, gold and result files in the layout of the task."""

from collections.abc import Sequence
from itertools import compress

import pandas as pd
import pyarrow as pa

from postprocess.designs.design import Design
from postprocess.designs.scored import name_score, render_scored
from postprocess.formats.files import (
    DATASET_COLUMNS,
    GOLD_COLUMNS,
    SCORE_COLUMNS,
    read_dataset,
    render_dataset,
    render_gold,
)
from postprocess.formats.stimuli import render_stimuli
from postprocess.formats.tabular import render_rows
from postprocess.pipeline import Dataset, name_data
from postprocess.release.practice import Row
from postprocess.steps.ledger import name_single
from postprocess.table.rendering import render_table, write_parquet

PRACTICE = "practice_kit"
RESULT_COLUMNS = {"results_subtask1": GOLD_COLUMNS[2:], "results_subtask2": GOLD_COLUMNS[:2]}


def render_kit(
    dataset: Dataset, rows: Sequence[Row], pairs: pd.DataFrame, tag: str
) -> dict[str, bytes]:
    """Return the files of the test data, relative path → content.

    `tag` is part of their names, and the name of the dataset is part of its own.
    `pairs` has a row for each of `rows`, indexed by the pair's number in the release; pairs without
    two scores are in scores.tsv alone. Result files hold only their header: readers skip empty
    rows or read them as zeros, and a file filled in half could pass for a complete one.
    """
    table = render_table(name_single(pairs).rename_axis("pair").reset_index())
    shared = {"scores.tsv": table.encode()}
    if design := dataset.design:
        return {**shared, **_render_items(dataset, rows, pairs, tag, design)}
    is_scored = (pairs[["n1", "n2"]] > 0).all(axis="columns")
    rows, scores = list(compress(rows, is_scored)), pairs[is_scored]
    style = dataset.outcome.recipe.files.as_style()
    content = render_dataset(rows, scores, pvalues=style).encode()
    texts = {
        f"data/data_{tag}.tsv": render_stimuli(rows),
        f"gold/gold_{tag}.tsv": render_gold(scores),
        **{
            f"results/{task}_{tag}.tsv": render_rows(columns, [])
            for task, columns in RESULT_COLUMNS.items()
        },
    }
    return {
        f"{dataset.name}_{tag}.csv": content,
        f"{dataset.name}_{tag}.parquet": write_dataset_parquet(content, scores.index),
        **shared,
        **{path: text.encode() for path, text in texts.items()},
    }


def _render_items(
    dataset: Dataset, rows: Sequence[Row], pairs: pd.DataFrame, tag: str, design: Design
) -> dict[str, bytes]:
    scored = render_scored(design, dataset.outcome.recipe, dataset.columns, rows, pairs)
    results = render_rows(("id", name_score(design)), [])
    return {
        f"{dataset.name}_{tag}.csv": scored["csv"],
        f"{dataset.name}_{tag}.parquet": scored["parquet"],
        name_data(design, tag): scored["items"],
        f"gold/gold_{tag}.tsv": scored["gold"],
        f"results/results_subtask1_{tag}.tsv": results.encode(),
    }


def render_practice_kit(
    dataset: Dataset, rows: Sequence[Row], pairs: pd.DataFrame, tag: str
) -> dict[str, bytes]:
    """Return the same files for the practice pairs, in one folder, as the task published them."""
    kit = render_kit(dataset, rows, pairs, tag)
    return {f"{PRACTICE}/{path.rpartition('/')[2]}": content for path, content in kit.items()}


def write_dataset_parquet(dataset: bytes, pairs: pd.Index) -> bytes:
    """Return the dataset as Parquet: `pair` and the columns of the text file."""
    table = read_dataset(dataset).assign(pair=pairs)
    kinds = {column: pa.string() for column in DATASET_COLUMNS}
    kinds |= {column: pa.float64() for column in SCORE_COLUMNS}
    columns = {name: table[name].to_numpy() for name in ("pair", *kinds)}
    return write_parquet(columns, {"pair": pa.int32(), **kinds})
