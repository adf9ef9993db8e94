"""Scores of windows: what a model says of the similarity of the two words, higher is more similar.

A file has a row per window, with the columns `window` and `score` (TSV or Parquet); any model can
write one. The name of the file is the name of the model.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from postprocess.formats.tabular import Finding, Severity, TableError, read_table

COLUMNS = ("window", "score")
PARQUET = ".parquet"


class ScoresError(ValueError):
    """Scores that cannot be used: of which file, and why."""


def load_scores(path: Path, windows: pd.Series) -> pd.Series:
    """Return the scores of windows, given by their identifiers, in the same order.

    Windows that the file has in addition are ignored. Raises OSError; TableError for a row that
    cannot be read; ScoresError if a window has no score or two.
    """
    scores = _read_parquet(path) if path.suffix == PARQUET else _read_tsv(path)
    if repeated := scores.index[scores.index.duplicated()].tolist():
        raise ScoresError(f"{path}: window {repeated[0]} has two scores; remove one of them")
    found = windows.map(scores)
    if n_missing := int(found.isna().sum()):
        first = windows[found.isna()].iloc[0]
        raise ScoresError(
            f"{path}: {n_missing:,} of {len(windows):,} windows have no score, the first is "
            f"{first}; score the windows of this file"
        )
    return found.astype(float).rename(path.stem)


def _read_parquet(path: Path) -> pd.Series:
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        raise ScoresError(f"{path}: this is not a Parquet file ({error})") from error
    if missing := [name for name in COLUMNS if name not in table.column_names]:
        raise ScoresError(f"{path}: column {missing[0]} is missing")
    scores: pd.Series = table.select(list(COLUMNS)).to_pandas().set_index("window")["score"]
    if not scores.map(math.isfinite).all():
        raise ScoresError(f"{path}: a score is missing or infinite")
    return scores


def _read_tsv(path: Path) -> pd.Series:
    table = read_table(path.read_bytes(), COLUMNS)
    findings = [one for one in table.findings if one.severity is not Severity.WARNING]
    findings += _check_numbers(table.rows)
    if findings:
        raise TableError(findings)
    rows = [(window, float(score)) for window, score in table.rows.values()]
    return pd.DataFrame(rows, columns=list(COLUMNS)).set_index("window")["score"]


def _check_numbers(rows: dict[int, tuple[str, ...]]) -> Iterator[Finding]:
    for row, (_, score) in rows.items():
        try:
            is_number = math.isfinite(float(score))
        except ValueError:
            is_number = False
        if not is_number:
            what = f'"{score[:40]}" is not a number'
            yield Finding(Severity.ERROR, what, row, "score", advice="write it as 0.118")
