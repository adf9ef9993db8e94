"""Ratings files: comma or tab separated or Parquet, small ones and those of millions of rows."""

import contextlib
import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as arrow_parquet
from numpy.typing import NDArray

from postprocess.columns import as_array
from postprocess.parts import on_all_cores
from postprocess.ratings import COLUMNS, OPTIONAL, RatingsError, name_some
from postprocess.tabular import UTF_16_MARKS, ZIP_MARK

TYPES = {
    "language": pa.string(),
    "pair": pa.int32(),
    "context": pa.int8(),
    "annotator": pa.string(),
    "rating": pa.int32(),  # or 64-bit floats, where not all are whole
    "group": pa.string(),
    "mark": pa.string(),
}

AT_ONCE = 1 << 24  # bytes of a file that are parsed together
END = ord("\n")
COMMA, TAB = ",", "\t"
QUOTING: dict[str, Literal[0, 3]] = {  # tab-separated files have none
    COMMA: csv.QUOTE_MINIMAL,
    TAB: csv.QUOTE_NONE,
}
NAMED = [name for name, kind in TYPES.items() if pa.types.is_string(kind)]
MOST_PARTS = 64  # of a Parquet file, each of which is opened by itself
FEW_BYTES = 4  # a name in a Parquet column of numbered names; more, and they are written out


def load_ratings(path: Path, language: str) -> pd.DataFrame:
    """Read a ratings file for `check_ratings`: what it is by its name, else comma separated.

    `.parquet` and `.tsv`, tab separated without quoting, are what a release has.

    Returns
    -------
    DataFrame, shape (n_ratings, up to 6)
        Those of pair, context, annotator, rating, group and mark that the file has.

    Raises
    ------
    RatingsError
        As `read_ratings`; or no Parquet.
    OSError
        The file cannot be read.
    """
    if path.suffix == ".parquet":
        return _load_parquet(path, language)
    delimiter = TAB if path.suffix == ".tsv" else COMMA
    ratings = _read_plain(path, language, delimiter)
    return read_ratings(path.read_bytes(), language, delimiter) if ratings is None else ratings


def read_ratings(data: bytes, language: str, delimiter: str = COMMA) -> pd.DataFrame:
    """Read `ratings_<lang>.csv`, as text, for `check_ratings` to check.

    Comma separated with the usual quoting, or tab separated without any; with or without a byte
    order mark, LF or CRLF.

    Returns
    -------
    DataFrame, shape (n_ratings, up to 6)
        Those of pair, context, annotator, rating, group and mark that the file has; further
        columns are left aside. The index, "line", is the line of the file on which the row ends.

    Raises
    ------
    RatingsError
        Not UTF-8, not comma separated, a row with more or fewer fields than the header, a
        column twice, or rows of another language.
    """
    lines = list(_csv_lines(data, delimiter))
    if not lines:
        raise RatingsError("the ratings file is empty; it needs a header and rows")
    (_, header), rows = lines[0], lines[1:]
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise RatingsError(f"the ratings have a column twice: {', '.join(twice)}; keep one")
    if missing := [column for column in COLUMNS if column not in header]:
        found = ", ".join(repr(name) for name in header[:20])
        raise RatingsError(
            f"the ratings have no column {', '.join(missing)}; the first line must name them, "
            f"separated by {'commas' if delimiter == COMMA else 'tabs'} (it has {found})"
        )
    if bad := [_name(i, rows) for i, (_, row) in enumerate(rows) if len(row) != len(header)]:
        raise RatingsError(f"not as many fields as the header's {len(header)}: {name_some(bad)}")
    index = pd.Index([line for line, _ in rows], name="line")
    ratings = pd.DataFrame([row for _, row in rows], columns=header, index=index, dtype=str)
    if "language" in ratings:
        _refuse_other_languages(ratings["language"].tolist(), rows, language)
    return ratings[[column for column in (*COLUMNS, *OPTIONAL) if column in ratings]]


def _read_plain(path: Path, language: str, delimiter: str) -> pd.DataFrame | None:
    """The ratings of a file with a row a line, in which nothing is missing or unusual.

    None if something is, for `read_ratings` to read it or to say what is wrong.
    """
    with path.open("rb") as file:
        first_line = file.readline().decode("utf-8-sig", "replace").rstrip("\r\n")
    header = next(csv.reader([first_line], delimiter=delimiter, quoting=QUOTING[delimiter]), [])
    if len(set(header)) < len(header) or not set(COLUMNS) <= set(header):
        return None
    with pa.memory_map(str(path)) as file:
        data = file.read_buffer()
        table = _parse(data, header, delimiter)
        n_lines = _count_lines(data)
    if table is None or table.num_rows != n_lines - 1:
        return None
    if "language" in header:
        if table["language"].unique().to_pylist() != [language]:
            return None
        table = table.drop_columns("language")
    return _as_frame(table)


def _count_lines(data: pa.Buffer) -> int:
    numbers = np.frombuffer(data, dtype=np.uint8)
    parts = range(0, len(numbers), AT_ONCE)
    n_ends = sum(np.count_nonzero(numbers[start : start + AT_ONCE] == END) for start in parts)
    return int(n_ends + (numbers[-1] != END))


def _parse(data: pa.Buffer, header: Sequence[str], delimiter: str) -> pa.Table | None:
    """The columns of `TYPES` that the header names; None if a field is not of its type."""
    parsing = arrow_csv.ParseOptions(
        delimiter=delimiter, quote_char='"' if delimiter == COMMA else False
    )
    for rating in (TYPES["rating"], pa.float64()):
        types = {**TYPES, "rating": rating}
        converting = arrow_csv.ConvertOptions(
            column_types=types,
            include_columns=[column for column in types if column in header],
            null_values=[""],
            strings_can_be_null=False,
            quoted_strings_can_be_null=False,
        )
        with contextlib.suppress(pa.ArrowInvalid):
            return arrow_csv.read_csv(
                data,
                read_options=arrow_csv.ReadOptions(block_size=AT_ONCE),
                parse_options=parsing,
                convert_options=converting,
            )
    return None


def _as_frame(table: pa.Table) -> pd.DataFrame:
    """The columns of a table, names as categories."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    return pd.DataFrame({name: as_array(columns[name]) for name in columns}, copy=False)


def _load_parquet(path: Path, language: str) -> pd.DataFrame:
    try:
        with arrow_parquet.ParquetFile(path) as file:
            metadata, names = file.metadata, file.schema_arrow.names
        if missing := [column for column in COLUMNS if column not in names]:
            raise RatingsError(
                f"the ratings have no column {', '.join(missing)} (found: {', '.join(names)})"
            )
        table = _read_parts(path, metadata, [column for column in TYPES if column in names])
    except pa.ArrowInvalid as error:
        raise RatingsError(f"{path} is no Parquet file: {error}") from error
    if "language" in table.column_names:
        others = set(table["language"].unique().to_pylist()) - {language}
        if others:
            found = name_some(sorted(map(str, others)))
            raise RatingsError(f'language is not "{language}" in every row: {found}')
        table = table.drop_columns("language")
    return _as_frame(table)


def _read_parts(path: Path, metadata: arrow_parquet.FileMetaData, names: list[str]) -> pa.Table:
    """Columns of a Parquet file, its row groups on all cores; of a single one, its columns."""
    n_parts = metadata.num_row_groups
    numbered = _find_numbered(metadata)

    def read(groups: NDArray[np.int64]) -> pa.Table:
        with arrow_parquet.ParquetFile(path, metadata=metadata, read_dictionary=numbered) as file:
            return _shrink(file.read_row_groups(groups.tolist(), names, use_threads=n_parts < 2))

    groups = np.array_split(np.arange(n_parts), min(MOST_PARTS, max(1, n_parts)))
    return pa.concat_tables(on_all_cores(read, groups), promote_options="permissive")


def _shrink(table: pa.Table) -> pa.Table:
    """The table with whole numbers in the types of `TYPES`, but for columns that do not fit."""
    for place, name in enumerate(table.column_names):
        if pa.types.is_integer(table[name].type) and pa.types.is_integer(TYPES[name]):
            with contextlib.suppress(pa.ArrowInvalid):
                table = table.set_column(place, name, table[name].cast(TYPES[name]))
    return table


def _find_numbered(metadata: arrow_parquet.FileMetaData) -> list[str]:
    """The columns of names that a Parquet file holds as numbers, so that none need be looked up."""
    n_bytes: Counter[str] = Counter()
    for part in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(part.column, range(part.num_columns)):
            n_bytes[column.path_in_schema] += column.total_uncompressed_size
    return [name for name in NAMED if 0 < n_bytes[name] < FEW_BYTES * metadata.num_rows]


def _csv_lines(data: bytes, delimiter: str = COMMA) -> Iterator[tuple[int, list[str]]]:
    """The filled lines of a CSV file with the line of the file on which each ends."""
    if data.startswith((*UTF_16_MARKS, ZIP_MARK)):
        raise RatingsError("the ratings are no UTF-8 text; save them as comma separated UTF-8")
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RatingsError(
            f"the ratings are not UTF-8: line {line}, byte {error.start + 1} of the file; "
            "save the file as UTF-8"
        ) from error
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=QUOTING[delimiter],
        strict=True,
    )
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as error:
        raise RatingsError(
            f"the ratings cannot be read as CSV in line {reader.line_num}: {error}"
        ) from error


def _refuse_other_languages(
    languages: Sequence[str], rows: Sequence[tuple[int, list[str]]], language: str
) -> None:
    bad = [f'{_name(i, rows)} "{x}"' for i, x in enumerate(languages) if x != language]
    if bad:
        raise RatingsError(f'language is not "{language}": {name_some(bad)}')


def _name(position: int, rows: Sequence[tuple[int, list[str]]]) -> str:
    return f"row {position + 1} (line {rows[position][0]})"


def load_checks(path: Path) -> pd.DataFrame:
    """Read answers to checkpoint items for `count_failed`: comma separated, one a line.

    Raises RatingsError for what is no such file, OSError if it cannot be read.
    """
    lines = list(_csv_lines(path.read_bytes()))
    if not lines:
        raise RatingsError(f"{path} is empty; it needs a header and rows")
    (_, header), rows = lines[0], lines[1:]
    if bad := [_name(i, rows) for i, (_, row) in enumerate(rows) if len(row) != len(header)]:
        raise RatingsError(f"{path}: not as many fields as the header's: {name_some(bad)}")
    return pd.DataFrame([row for _, row in rows], columns=header, dtype=str)
