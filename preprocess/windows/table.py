"""The files of windows: `windows.parquet` and, next to it, the counts as `windows.counts.tsv`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from postprocess.errors import UserError
from postprocess.formats.marks import MarkedContext, Span
from postprocess.origin import OriginError, parse_origin
from postprocess.table.loading import refusing_parquet
from preprocess.replacing import replacing
from preprocess.windows.examining import WINDOW_TYPES

SETTINGS = b"cosima"  # the key of the file's metadata
LARGEST_SETTINGS = 1_000_000  # bytes
ARROW_TYPES = {"str": pa.string(), "int32": pa.int32(), "int64": pa.int64()}
SCHEMA = pa.schema([(name, ARROW_TYPES[kind]) for name, kind in WINDOW_TYPES.items()])


class WindowsError(UserError):
    """A file is not one of windows, or lacks something."""


def write_windows(
    path: Path, tables: Iterable[pd.DataFrame], settings: Mapping[str, Any]
) -> Iterator[pd.DataFrame]:
    """Write tables of windows one after the other, and yield each once it is written.

    `settings` are stored with them. The file appears under its name when all are written. Raises
    OSError.
    """
    schema = SCHEMA.with_metadata({SETTINGS: json.dumps(settings, sort_keys=True).encode()})
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        for table in tables:
            if len(table):
                writer.write_table(pa.Table.from_pandas(table, schema, preserve_index=False))
            yield table


def load_settings(file: Path | BinaryIO) -> dict[str, Any]:
    """Return what a file of windows, scores or candidates says of its origin; {} if nothing.

    Raises OSError, and WindowsError for settings that cannot be read.
    """
    try:
        metadata = pq.read_schema(file).metadata or {}
    except pa.ArrowInvalid:
        return {}
    text = metadata.get(SETTINGS, b"{}")
    try:
        if len(text) > LARGEST_SETTINGS:
            raise OriginError(f"it has more than {LARGEST_SETTINGS:,} bytes")
        return parse_origin(text)
    except OriginError as error:
        place = f"{file}: " if isinstance(file, Path) else ""
        what = f"what the file says of its origin cannot be used: {error}"
        raise WindowsError(f"{place}{what}") from error


def load_windows(path: Path) -> pd.DataFrame:
    """Read the windows that were kept (`WINDOW_TYPES`), by pair and rank.

    Raises OSError and WindowsError.
    """
    with refusing_parquet(WindowsError, path):
        table = pq.read_table(path)
    if missing := [name for name in WINDOW_TYPES if name not in table.column_names]:
        raise WindowsError(
            f"{path}: column {missing[0]} is missing; give a file that `find` has written"
        )
    windows: pd.DataFrame = table.select(list(WINDOW_TYPES)).to_pandas().astype(WINDOW_TYPES)
    return windows[windows["rejected"] == ""].reset_index(drop=True)


def make_context(window: Mapping[Any, Any]) -> MarkedContext:
    """Return the text of a window, given as a row of a table, with its target words."""
    first = Span(window["start1"], window["end1"])
    second = Span(window["start2"], window["end2"])
    return MarkedContext(window["text"], first, second)
