"""Reading ratings files of millions of rows: in parts, on all cores, with bounded memory."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as arrow_parquet
from numpy.typing import NDArray

from postprocess.table.columns import Part, as_part, join_parts
from postprocess.table.parallel import on_all_cores

LANGUAGE = "language"
TYPES = {
    LANGUAGE: pa.string(),
    "pair": pa.int32(),
    "context": pa.int8(),
    "annotator": pa.string(),
    "rating": pa.int32(),  # 64-bit floats if not all are whole
    "group": pa.string(),
    "mark": pa.string(),
}

AT_ONCE = 1 << 24  # bytes of a file per part
LONGEST_LINE = 1 << 16  # bytes
END = ord("\n")
NAMED = [name for name, kind in TYPES.items() if pa.types.is_string(kind)]
MOST_PARTS = 64  # of a Parquet file; each is opened separately
FEW_BYTES = 4  # per row of a dictionary-encoded Parquet column; more means plain texts


class Loaded(NamedTuple):
    """The columns of ratings that a file has, and its languages."""

    ratings: pd.DataFrame
    languages: set[object]


class _Piece(NamedTuple):
    columns: dict[str, Part]
    languages: set[object]


def load_lines(
    path: Path, start: int, header: Sequence[str], parsing: arrow_csv.ParseOptions
) -> Loaded | None:
    """Read the rows of a regular text file, one per line, from a byte offset.

    Returns
    -------
    Loaded or None
        None if a value is missing, has not the type in `TYPES`, or spans several lines.
    """
    with pa.memory_map(str(path)) as file:
        lines = _cut_at_lines(file.read_buffer().slice(start))
        for rating in (TYPES["rating"], pa.float64()):
            types = {**TYPES, "rating": rating}
            with contextlib.suppress(pa.ArrowInvalid):
                pieces = on_all_cores(partial(_parse, header, parsing, types), lines)
                whole = [piece for piece in pieces if piece]
                return _join(whole) if whole and len(whole) == len(pieces) else None
    return None


@contextlib.contextmanager
def refusing_parquet(error: Callable[[str], Exception], place: object) -> Iterator[None]:
    """Raise an error for what cannot be read as Parquet in the block; errors of the disk pass."""
    try:
        yield
    except (pa.lib.ArrowException, OSError) as found:
        if isinstance(found, OSError) and found.errno is not None:
            raise
        what = f"{place} is not a Parquet file, or a damaged one ({found}); write it again"
        raise error(what) from found


def load_parquet(path: Path) -> Loaded:
    """Read the rows of a Parquet file, within `refusing_parquet`."""
    with arrow_parquet.ParquetFile(path) as file:
        metadata, columns = file.metadata, file.schema_arrow.names
    languages = _find_languages(metadata)
    names = [name for name in TYPES if name in columns and not (languages and name == LANGUAGE)]
    numbered = _find_numbered(metadata)
    n_parts = metadata.num_row_groups
    by_turns = (
        [[name] for name in names] if n_parts > 1 else [names]
    )  # a single row group is read on all cores by column

    def read(groups: NDArray[np.int64]) -> _Piece:
        piece = _Piece({}, set(languages))
        with arrow_parquet.ParquetFile(path, metadata=metadata, read_dictionary=numbered) as file:
            for some in by_turns:  # so that only one column is in memory twice
                table = file.read_row_groups(groups.tolist(), some, use_threads=n_parts < 2)
                for name in some:
                    _add(piece, name, _shrink(table[name], TYPES[name]))
        return piece

    groups = np.array_split(np.arange(n_parts), min(MOST_PARTS, max(1, n_parts)))
    return _join(on_all_cores(read, groups))


def _cut_at_lines(data: pa.Buffer) -> list[pa.Buffer]:
    """Split a file into whole lines of about `AT_ONCE` bytes; return [] if a line is too long."""
    letters = np.frombuffer(data, dtype=np.uint8)
    cuts = [0]
    while cuts[-1] < len(letters):
        cut = min(cuts[-1] + AT_ONCE, len(letters))
        if cut < len(letters):
            window = max(cuts[-1], cut - LONGEST_LINE)
            ends = np.flatnonzero(letters[window:cut] == END)
            if not len(ends):
                return []
            cut = window + int(ends[-1]) + 1
        cuts.append(cut)
    return [data.slice(start, end - start) for start, end in pairwise(cuts)]


def _parse(
    header: Sequence[str],
    parsing: arrow_csv.ParseOptions,
    types: dict[str, pa.DataType],
    lines: pa.Buffer,
) -> _Piece | None:
    """Parse columns of these types; return None unless each line is one row."""
    table = arrow_csv.read_csv(
        lines,
        read_options=arrow_csv.ReadOptions(
            use_threads=False, block_size=lines.size, column_names=header
        ),
        parse_options=parsing,
        convert_options=arrow_csv.ConvertOptions(
            column_types=types,
            include_columns=[column for column in types if column in header],
            null_values=[""],
            strings_can_be_null=False,
            quoted_strings_can_be_null=False,
        ),
    )
    letters = np.frombuffer(lines, dtype=np.uint8)
    n_lines = np.count_nonzero(letters == END) + (letters[-1] != END)
    if table.num_rows != n_lines:
        return None
    piece = _Piece({}, set())
    for name in table.column_names:
        _add(piece, name, table[name])
    return piece


def _add(piece: _Piece, name: str, column: pa.ChunkedArray) -> None:
    if name == LANGUAGE:
        piece.languages.update(column.unique().to_pylist())
    else:
        piece.columns[name] = as_part(column)


def _join(pieces: Sequence[_Piece]) -> Loaded:
    """Join the pieces of a file; they are emptied on the way, to free memory."""
    columns = {
        name: join_parts([piece.columns.pop(name) for piece in pieces])
        for name in list(pieces[0].columns)
    }
    return Loaded(
        pd.DataFrame(columns, copy=False), set().union(*(piece.languages for piece in pieces))
    )


def _shrink(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Cast whole numbers to a type of `TYPES` if they fit; return other columns unchanged."""
    if pa.types.is_integer(column.type) and pa.types.is_integer(kind):
        with contextlib.suppress(pa.ArrowInvalid):
            return column.cast(kind)
    return column


def _find_languages(metadata: arrow_parquet.FileMetaData) -> set[object]:
    """Return the languages by the statistics of a Parquet file; empty if these are incomplete."""
    of_parts = [
        _only_value(column.statistics)
        for part in map(metadata.row_group, range(metadata.num_row_groups))
        for column in map(part.column, range(part.num_columns))
        if column.path_in_schema == LANGUAGE
    ]
    return set().union(*of_parts) if all(of_parts) else set()


def _only_value(statistics: arrow_parquet.Statistics | None) -> set[object]:
    if statistics is None or not statistics.has_min_max or statistics.null_count != 0:
        return set()
    return {statistics.min} if statistics.min == statistics.max else set()


def _find_numbered(metadata: arrow_parquet.FileMetaData) -> list[str]:
    """Return the columns of names that a Parquet file stores dictionary-encoded."""
    n_bytes: Counter[str] = Counter()
    for part in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(part.column, range(part.num_columns)):
            n_bytes[column.path_in_schema] += column.total_uncompressed_size
    return [name for name in NAMED if 0 < n_bytes[name] < FEW_BYTES * metadata.num_rows]
