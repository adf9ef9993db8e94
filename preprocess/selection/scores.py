"""Scores of windows: a model's similarity of the two words, higher where more similar.

A file has a row per window and model, with the columns `window`, `score` and, if it has more than
one model, `model` (TSV, CSV or Parquet); any program can write one. Without that column the name of
the file is the name of the model.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from postprocess.errors import UserError
from postprocess.formats.kinds import CANONICAL, read_table, recognise_kind
from postprocess.formats.tabular import Finding, Severity, TableError, naming_file
from postprocess.table.loading import refusing_parquet
from preprocess.replacing import replacing
from preprocess.windows.table import SETTINGS

COLUMNS = ("window", "score")
MODEL = "model"
PARQUET = ".parquet"
NAME = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema([("window", pa.string()), (MODEL, NAME), ("score", pa.float64())])


class ScoresError(UserError):
    """Unusable scores: the file and the reason."""


def load_scores(path: Path, windows: pd.Series, name: str = "") -> dict[str, pd.Series]:
    """Return the scores of windows, given by their identifiers, in the same order, by model.

    `name` is that of the model if the file has no column of models; by default the name of the
    file. Windows that the file has in addition are ignored. Raises OSError; TableError for a row
    that cannot be read; ScoresError if a window has no score or two. Both name the file.
    """
    with naming_file(path):
        scores = _read_parquet(path) if path.suffix == PARQUET else _read_text(path)
    if MODEL not in scores:
        scores[MODEL] = name or path.stem
    elif name:
        raise ScoresError(
            f'{path}: the file names its models itself, in the column {MODEL}; leave out "{name}="'
        )
    models = scores[MODEL].drop_duplicates().tolist()
    return {model: _align(path, scores[scores[MODEL] == model], windows) for model in models}


def load_all_scores(files: Sequence[tuple[str, Path]], windows: pd.Series) -> dict[str, pd.Series]:
    """Return the scores of all models of some files, given with names; see `load_scores`.

    Raises as `load_scores`, and ScoresError if two files have a model of the same name.
    """
    scores: dict[str, pd.Series] = {}
    for name, path in files:
        scores = join_scores(scores, load_scores(path, windows, name))
    return scores


def join_scores(
    scores: Mapping[str, pd.Series], more: Mapping[str, pd.Series]
) -> dict[str, pd.Series]:
    """Return the scores of all models. Raises ScoresError if a model is in both."""
    if repeated := [model for model in more if model in scores]:
        raise ScoresError(
            f'there are two models "{repeated[0]}"; give one another name, as in NAME=PATH'
        )
    return {**scores, **more}


def choose_models(
    scores: Mapping[str, pd.Series], models: Sequence[str] | None
) -> dict[str, pd.Series]:
    """Return the given models' scores, in the given order, or all scores. Raises ScoresError."""
    for model in models or ():
        if model not in scores:
            raise ScoresError(f'no file has scores of "{model}"; there are: {", ".join(scores)}')
    return {model: scores[model] for model in models or scores}


def write_scores(
    path: Path, windows: pd.Series, scores: Mapping[str, pd.Series], settings: Mapping[str, Any]
) -> None:
    """Write the scores of windows by model as Parquet, and settings with them. Raises OSError."""
    schema = SCHEMA.with_metadata({SETTINGS: json.dumps(settings, sort_keys=True).encode()})
    tables = [
        pd.DataFrame({"window": windows, MODEL: pd.Categorical([model] * len(windows)),
                      "score": series.to_numpy()})
        for model, series in scores.items()
    ]  # fmt: skip
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        for table in tables:
            writer.write_table(pa.Table.from_pandas(table, schema, preserve_index=False))


def summarise_scores(windows: pd.DataFrame, scores: Mapping[str, pd.Series]) -> pd.DataFrame:
    """Describe the scores of models, to choose among them or among the layers of one.

    `windows` needs the columns pair and distance, and each model has a score for every row. The
    columns are `mean`, `lowest` and `highest`; `contrast`, the mean over the pairs with two windows
    or more of the highest minus the lowest score; `distance`, the correlation of the score with the
    number of words between the target words, both less their means in the pair. What is not
    defined, such as the correlation with a constant, is NaN.
    """
    pairs = windows["pair"].to_numpy()
    is_compared = windows.groupby("pair")["pair"].transform("size").to_numpy() > 1
    distances = _within(pd.Series(windows["distance"].to_numpy(), dtype=float), pairs)
    rows = {}
    for model, given in scores.items():
        series = pd.Series(given.to_numpy())
        by_pair = series[is_compared].groupby(pairs[is_compared])
        rows[model] = {
            "mean": series.mean(),
            "lowest": series.min(),
            "highest": series.max(),
            "contrast": (by_pair.max() - by_pair.min()).mean(),
            "distance": _correlate(_within(series, pairs), distances),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index=MODEL)


def _within(series: pd.Series, pairs: Any) -> pd.Series:
    return series - series.groupby(pairs).transform("mean")


def _correlate(first: pd.Series, second: pd.Series) -> float:
    """Return the correlation of two series whose means are 0; NaN if one is constant."""
    size = math.sqrt(float((first**2).sum() * (second**2).sum()))
    return float((first * second).sum()) / size if size else math.nan


def _align(path: Path, scores: pd.DataFrame, windows: pd.Series) -> pd.Series:
    """Return the scores of one model in the order of windows."""
    model = scores[MODEL].iloc[0]
    series = scores.set_index("window")["score"]
    if repeated := series.index[series.index.duplicated()].tolist():
        raise ScoresError(
            f'{path}: window {repeated[0]} has two scores by the model "{model}"; remove one row'
        )
    aligned = windows.map(series)
    if n_missing := int(aligned.isna().sum()):
        advice = "score the windows of this file"
        if n_missing == len(windows):
            advice = f"{path.name} has scores of other windows; score these"
        first = windows[aligned.isna()].iloc[0]
        raise ScoresError(
            f"{path}: {n_missing:,} of {len(windows):,} windows have no score of the model "
            f'"{model}", the first is {first}; {advice}'
        )
    return aligned.astype(float).rename(model)


def _read_parquet(path: Path) -> pd.DataFrame:
    with refusing_parquet(ScoresError, path):
        table = pq.read_table(path)
    if missing := [name for name in COLUMNS if name not in table.column_names]:
        raise ScoresError(f"{path}: column {missing[0]} is missing")
    names = [name for name in (*COLUMNS, MODEL) if name in table.column_names]
    scores: pd.DataFrame = table.select(names).to_pandas()
    if not pd.api.types.is_numeric_dtype(scores["score"]):
        raise ScoresError(f"{path}: the scores are not numbers")
    if not np.isfinite(scores["score"].astype(float)).all():
        raise ScoresError(f"{path}: a score is missing or infinite")
    if MODEL in names:
        scores[MODEL] = scores[MODEL].astype(str)
    return scores


def _read_text(path: Path) -> pd.DataFrame:
    data = path.read_bytes()
    kind = recognise_kind(data, COLUMNS) or CANONICAL
    table = read_table(data, COLUMNS, kind, optional=(MODEL,), numbers=("score",))
    findings = table.errors
    findings += _check_fields(table.rows)
    if findings:
        raise TableError(findings)
    scores = pd.DataFrame(list(table.rows.values()), columns=list(table.columns))
    return scores.assign(score=scores["score"].map(float))


def _check_fields(rows: dict[int, tuple[str, ...]]) -> Iterator[Finding]:
    for row, (_, score, *models) in rows.items():
        try:
            is_number = math.isfinite(float(score))
        except ValueError:
            is_number = False
        if not is_number:
            what = f'"{score[:40]}" is not a number'
            yield Finding(Severity.ERROR, what, row, "score", advice="write it as 0.118")
        if "" in models:
            what = "the field is empty"
            yield Finding(Severity.ERROR, what, row, MODEL, advice="name the model")
