"""Reading ratings files: comma or tab separated or Parquet, with up to millions of rows."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as arrow_parquet

from postprocess.formats.tabular import UTF_16_MARKS, ZIP_MARK, read_cell
from postprocess.table.loading import load_lines, load_parquet
from postprocess.table.ratings import COLUMNS, NAMES, OPTIONAL, RatingsError, name_some

COMMA, TAB = ",", "\t"
KIND, MODEL = "kind", "model"  # the column that marks ratings of a language model, and its value
QUOTING: dict[str, Literal[0, 3]] = {  # tab-separated files have no quoting
    COMMA: csv.QUOTE_MINIMAL,
    TAB: csv.QUOTE_NONE,
}


def load_ratings(
    path: str | PathLike[str], language: str, *, accept_models: bool = False
) -> pd.DataFrame:
    """Read a ratings file for `check_ratings`; its suffix gives the format.

    `.parquet`, `.tsv` (tab separated without quoting), as in a release; otherwise comma separated.

    Parameters
    ----------
    path : path
        The file.
    language : str
        Of every row, if the file has a column language.
    accept_models : bool
        Whether ratings that the file marks as a language model's (`kind`) are read, too; only for
        comparing them with those of people.

    Returns
    -------
    DataFrame, shape (n_ratings, up to 6)
        The columns pair, context, annotator, rating, group and mark, if the file has them.

    Raises
    ------
    RatingsError
        As `read_ratings`; invalid Parquet; or ratings of a model.
    OSError
        The file cannot be read.
    """
    path = Path(path)
    if not accept_models:
        _refuse_models(path)
    if path.suffix == ".parquet":
        return _load_parquet(path, language)
    delimiter = TAB if path.suffix == ".tsv" else COMMA
    ratings = _read_plain(path, language, delimiter)
    return read_ratings(path.read_bytes(), language, delimiter) if ratings is None else ratings


def load_columns(path: Path, names: Sequence[str]) -> pd.DataFrame:
    """Read those of the named columns that a ratings file has, as text; "" for missing values."""
    if path.suffix == ".parquet":
        known = [name for name in names if name in arrow_parquet.read_schema(path).names]
        table: pd.DataFrame = arrow_parquet.read_table(path, columns=known).to_pandas()
        return table.astype(object).where(table.notna(), "").astype(str)
    delimiter = TAB if path.suffix == ".tsv" else COMMA
    table = pd.read_csv(
        path,
        sep=delimiter,
        quoting=QUOTING[delimiter],
        usecols=lambda name: name in names,
        dtype=str,
        keep_default_na=False,
        encoding="utf-8-sig",
    )
    return table.assign(**{name: read_cells(table[name]) for name in map(str, table)})


def has_column(path: Path, name: str) -> bool:
    """Return whether the header of a ratings file contains a name, perhaps as part of another.

    Raises RatingsError for invalid Parquet, OSError if the file cannot be read.
    """
    if path.suffix == ".parquet":
        return name in _read_parquet_names(path)
    with path.open("rb") as file:
        return name.encode() in file.readline()


def are_of_model(kinds: pd.Series) -> pd.Series:
    """Return whether each entry of the column kind says that a language model rated.

    >>> are_of_model(pd.Series(["model", "people", " Model", ""])).tolist()
    [True, False, True, False]
    """
    return kinds.str.strip().str.casefold() == MODEL


def read_ratings(data: bytes, language: str, delimiter: str = COMMA) -> pd.DataFrame:
    """Read `ratings_<lang>.csv` as text, for `check_ratings`.

    Comma separated with quoting, or tab separated without; with or without a byte order mark, LF or
    CRLF. Returns the columns pair, context, annotator, rating, group and mark, if the file has
    them; others are ignored. The index, "line", is the line of the file on which the row ends.

    Raises RatingsError if the file is not UTF-8 or not comma separated, or has a row with more or
    fewer fields than the header, a repeated column, or rows of another language.
    """
    lines = list(_csv_lines(data, delimiter))
    if not lines:
        raise RatingsError("the ratings file is empty; it needs a header and rows")
    (_, header), rows = lines[0], lines[1:]
    if twice := sorted(name for name, n in Counter(header).items() if n > 1):
        raise RatingsError(f"the ratings have a column twice: {name_some(twice)}; keep one")
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
    ratings = ratings[[column for column in (*COLUMNS, *OPTIONAL) if column in ratings]]
    return ratings.assign(**{name: read_cells(ratings[name]) for name in NAMES if name in ratings})


def _read_plain(path: Path, language: str, delimiter: str) -> pd.DataFrame | None:
    """Read a regular file: one row per line, without missing values.

    Returns None for any other file, which `read_ratings` reads or refuses.
    """
    with path.open("rb") as file:
        first_line = file.readline()
    text = first_line.decode("utf-8-sig", "replace").rstrip("\r\n")
    header = next(csv.reader([text], delimiter=delimiter, quoting=QUOTING[delimiter]), [])
    if len(set(header)) < len(header) or not set(COLUMNS) <= set(header):
        return None
    parsing = arrow_csv.ParseOptions(
        delimiter=delimiter, quote_char='"' if delimiter == COMMA else False
    )
    loaded = load_lines(path, len(first_line), header, parsing)
    if loaded is None or not loaded.languages <= {language}:
        return None
    ratings = loaded.ratings
    for name in NAMES:
        if name in ratings and ratings[name].cat.categories.str.startswith("'").any():
            return None  # an escaped name; see `write_cell`
    return ratings


def read_cells(column: pd.Series) -> pd.Series:
    """Return the texts of a column of cells; see `read_cell`."""
    if not column.str.startswith("'").any():
        return column
    return column.map(read_cell)


def _refuse_models(path: Path) -> None:
    """Raise RatingsError if the file marks any of its ratings as a language model's."""
    try:
        kinds = load_columns(path, (KIND,)) if has_column(path, KIND) else pd.DataFrame()
    except ValueError:  # what is wrong is reported by the reader
        return
    if KIND in kinds and (bad := are_of_model(kinds[KIND])).any():
        rows = name_some([f"row {row + 1}" for row in bad.to_numpy().nonzero()[0]])
        raise RatingsError(
            f"a language model gave these ratings, not people (column {KIND}): {rows}; they make "
            "no dataset, but compare-collections compares them with ratings of people"
        )


def _read_parquet_names(path: Path) -> list[str]:
    try:
        return list(arrow_parquet.read_schema(path).names)
    except pa.ArrowInvalid as error:
        raise RatingsError(f"{path} is not a Parquet file: {error}") from error


def _load_parquet(path: Path, language: str) -> pd.DataFrame:
    names = _read_parquet_names(path)
    try:
        if missing := [column for column in COLUMNS if column not in names]:
            raise RatingsError(
                f"the ratings have no column {', '.join(missing)} (found: {', '.join(names)})"
            )
        ratings, languages = load_parquet(path)
    except pa.ArrowInvalid as error:
        raise RatingsError(f"{path} is not a Parquet file: {error}") from error
    if others := languages - {language}:
        found = name_some(sorted(map(str, others)))
        raise RatingsError(f'language is not "{language}" in every row: {found}')
    return ratings


def _csv_lines(data: bytes, delimiter: str = COMMA) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-empty rows of a CSV file with the line on which each ends."""
    if data.startswith((*UTF_16_MARKS, ZIP_MARK)):
        raise RatingsError("the ratings are not UTF-8 text; save them as comma separated UTF-8")
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


def load_checks(path: str | PathLike[str]) -> pd.DataFrame:
    """Read answers to checkpoint items for `count_failed`: comma separated, one per line.

    Raises RatingsError if the file is invalid, OSError if it cannot be read.
    """
    lines = list(_csv_lines(Path(path).read_bytes()))
    if not lines:
        raise RatingsError(f"{path} is empty; it needs a header and rows")
    (_, header), *rows = lines
    if bad := [_name(i, rows) for i, (_, row) in enumerate(rows) if len(row) != len(header)]:
        raise RatingsError(f"{path}: not as many fields as the header's: {name_some(bad)}")
    checks = pd.DataFrame([row for _, row in rows], columns=header, dtype=str)
    return checks.assign(**{name: read_cells(checks[name]) for name in NAMES if name in checks})
