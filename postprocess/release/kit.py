"""The evaluation kit: dataset, data, gold and result files in the layout of the task."""

from collections.abc import Sequence
from itertools import compress

import pandas as pd
import pyarrow as pa

from postprocess.formats.files import (
    DATASET_COLUMNS,
    GOLD_COLUMNS,
    SCORE_COLUMNS,
    PvalueStyle,
    read_dataset,
    render_dataset,
    render_gold,
)
from postprocess.formats.stimuli import render_stimuli
from postprocess.formats.tabular import render_rows
from postprocess.release.practice import Row
from postprocess.table.rendering import render_table, write_parquet

PRACTICE = "practice_kit"
RESULT_COLUMNS = {"results_subtask1": GOLD_COLUMNS[2:], "results_subtask2": GOLD_COLUMNS[:2]}


def render_kit(
    rows: Sequence[Row], pairs: pd.DataFrame, tag: str, *, name: str, pvalues: PvalueStyle
) -> dict[str, bytes]:
    """Return the files of the test data, relative path → content.

    `tag` is part of their names, and `name` of those of the dataset.
    `pairs` has a row for each of `rows`, indexed by the pair's number in the release; pairs without
    two scores are in scores.tsv alone. Result files hold only their header: readers skip empty
    rows or read them as zeros, and a file filled in half could pass for a complete one.
    """
    is_scored = (pairs[["n1", "n2"]] > 0).all(axis="columns")
    rows, scores = list(compress(rows, is_scored)), pairs[is_scored]
    dataset = render_dataset(rows, scores, pvalues=pvalues).encode()
    texts = {
        f"data/data_{tag}.tsv": render_stimuli(rows),
        f"gold/gold_{tag}.tsv": render_gold(scores),
        "scores.tsv": render_table(pairs.rename_axis("pair").reset_index()),
        **{
            f"results/{task}_{tag}.tsv": render_rows(columns, [])
            for task, columns in RESULT_COLUMNS.items()
        },
    }
    return {
        f"{name}_{tag}.csv": dataset,
        f"{name}_{tag}.parquet": write_dataset_parquet(dataset, scores.index),
        **{path: text.encode() for path, text in texts.items()},
    }


def render_practice_kit(
    rows: Sequence[Row], pairs: pd.DataFrame, tag: str, *, name: str, pvalues: PvalueStyle
) -> dict[str, bytes]:
    """Return the same files for the practice pairs, in one folder, as the task published them."""
    kit = render_kit(rows, pairs, tag, name=name, pvalues=pvalues)
    return {f"{PRACTICE}/{path.rpartition('/')[2]}": content for path, content in kit.items()}


def write_dataset_parquet(dataset: bytes, pairs: pd.Index) -> bytes:
    """Return the dataset as Parquet: `pair` and the columns of the text file."""
    table = read_dataset(dataset).assign(pair=pairs)
    kinds = {column: pa.string() for column in DATASET_COLUMNS}
    kinds |= {column: pa.float64() for column in SCORE_COLUMNS}
    columns = {name: table[name].to_numpy() for name in ("pair", *kinds)}
    return write_parquet(columns, {"pair": pa.int32(), **kinds})
