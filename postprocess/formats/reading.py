"""Reading ratings files: comma or tab separated or Parquet, with up to millions of rows."""

import csv
import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

import pandas as pd
import pyarrow.csv as arrow_csv
import pyarrow.parquet as arrow_parquet

from postprocess.formats.kinds import FileKind, Separator, split_records
from postprocess.formats.tabular import cut_lines, group_findings, read_cell, shape_table
from postprocess.steps.exclusion import CHECK_COLUMNS
from postprocess.table.loading import LANGUAGE, load_lines, load_parquet, refusing_parquet
from postprocess.table.ratings import (
    COLUMNS,
    NAMES,
    OPTIONAL,
    RatingsError,
    are_unjudged,
    name_some,
)

COMMA, TAB = ",", "\t"
COMMAS = FileKind(Separator.COMMA)
LONGEST_HEADER = 65_536  # bytes
LINE_END, COLUMN_NAME = re.compile(b"[\r\n]"), re.compile(b'[^,;|\t"\xef\xbb\xbf]+')
KIND, MODEL = "kind", "model"  # the column that marks ratings of a language model, and its value
QUOTING: dict[str, Literal[0, 3]] = {  # tab-separated files have no quoting
    COMMA: csv.QUOTE_MINIMAL,
    TAB: csv.QUOTE_NONE,
}


def load_ratings(
    path: str | PathLike[str], language: str, *, accept_models: bool = False
) -> pd.DataFrame:
    """Read a ratings file for `check_ratings`: Parquet by its suffix, otherwise any kind of table.

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
    return read_ratings(path.read_bytes(), language) if ratings is None else ratings


def load_columns(path: Path, names: Sequence[str]) -> pd.DataFrame:
    """Read the named columns that a ratings file has, as text; "" for missing values.

    Raises RatingsError if the file cannot be read as a table.
    """
    if path.suffix == ".parquet":
        present = [name for name in names if name in _read_parquet_names(path)]
        table: pd.DataFrame = arrow_parquet.read_table(path, columns=present).to_pandas()
        return table.astype(object).where(table.notna(), "").astype(str)
    table = _read_frame(path.read_bytes(), COLUMNS)
    return table[[name for name in names if name in table]].map(read_cell)


def has_column(path: Path, name: str) -> bool:
    """Return whether the header of a ratings file contains a name.

    Raises RatingsError for a file that cannot be read as a table, OSError if it cannot be read.
    """
    if path.suffix == ".parquet":
        return name in _read_parquet_names(path)
    with path.open("rb") as file:
        start = file.read(LONGEST_HEADER)
    names = COLUMN_NAME.findall(LINE_END.split(start, maxsplit=1)[0])
    if {column.encode() for column in COLUMNS} <= set(names):
        return name.encode() in names
    return name in _read_frame(path.read_bytes(), COLUMNS)


def are_of_model(kinds: pd.Series) -> pd.Series:
    """Return whether each entry of the column kind says that a language model rated.

    >>> are_of_model(pd.Series(["model", "people", " Model", ""])).tolist()
    [True, False, True, False]
    """
    return kinds.str.strip().str.casefold() == MODEL


def read_ratings(data: bytes, language: str) -> pd.DataFrame:
    """Read `ratings_<lang>.csv` as text, for `check_ratings`; `kinds` says how it may be written.

    Returns the columns pair, context, annotator, rating, group and mark, if the file has
    them; others are ignored. The index, "line", is the line of the file on which the row ends.

    Raises RatingsError if the file cannot be read, or has a row with more or fewer fields than the
    header, a repeated column, or rows of another language.
    """
    ratings = _read_frame(data, COLUMNS, required=COLUMNS)
    if LANGUAGE in ratings:
        _refuse_other_languages(ratings[LANGUAGE], language)
    ratings = ratings[[column for column in (*COLUMNS, *OPTIONAL) if column in ratings]]
    return ratings.assign(**{name: read_cells(ratings[name]) for name in NAMES if name in ratings})


def _read_frame(
    data: bytes, columns: Sequence[str], *, required: Sequence[str] = ()
) -> pd.DataFrame:
    """Read all columns of a table as text; the index, "line", is that on which each row ends.

    The header is found by `columns`. Raises RatingsError if a required one is missing.
    """
    column_names = (LANGUAGE, *columns, *OPTIONAL)
    records = split_records(
        data, columns, known=column_names, numbers=column_names, otherwise=COMMAS
    )
    lines = records.lines or range(1, len(records.rows) + 1)
    split = zip(lines, records.rows, strict=False)
    numbered = [(line, row) for line, row in split if row is None or any(row)]
    header = (numbered[0][1] or []) if numbered else []
    others = [name for name in dict.fromkeys(header) if name and name not in required]
    records.rows = [row for _, row in numbered]
    table = shape_table(records, required, others)
    if errors := table.errors:
        shown = cut_lines(group_findings(errors))
        raise RatingsError("\n".join(f"the ratings: {line}" for line in shown))
    index = pd.Index([line for line, _ in numbered[1:]], name="line")
    return pd.DataFrame(table.rows.values(), columns=table.columns, index=index, dtype=str)


def _read_plain(path: Path, language: str, delimiter: str) -> pd.DataFrame | None:
    """Read a regular file: one row per line, without missing values.

    Returns None for any other file, which `read_ratings` reads or refuses.
    """
    with path.open("rb") as file:
        first_line = file.readline(LONGEST_HEADER)
    text = first_line.decode("utf-8-sig", "replace").rstrip("\r\n")
    if "\r" in text or not first_line.endswith(b"\n"):
        return None
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
    is_missing = ratings["rating"].isna().to_numpy() & ~are_unjudged(ratings)
    if ratings["pair"].hasnans or is_missing.any():
        return None  # an empty row or field, which messages show as it is
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
    with refusing_parquet(RatingsError, path):
        return list(arrow_parquet.read_schema(path).names)


def _load_parquet(path: Path, language: str) -> pd.DataFrame:
    names = _read_parquet_names(path)
    if missing := [column for column in COLUMNS if column not in names]:
        raise RatingsError(
            f"the ratings have no column {', '.join(missing)} (found: {', '.join(names)})"
        )
    with refusing_parquet(RatingsError, path):
        ratings, languages = load_parquet(path)
    if others := languages - {language}:
        named = name_some(sorted(map(str, others)))
        raise RatingsError(f'language is not "{language}" in every row: {named}')
    return ratings


def _refuse_other_languages(languages: pd.Series, language: str) -> None:
    rows = enumerate(languages.items())
    bad = [f'{_name(i, line)} "{other}"' for i, (line, other) in rows if other != language]
    if bad:
        raise RatingsError(f'language is not "{language}": {name_some(bad)}')


def _name(position: int, line: object) -> str:
    return f"row {position + 1} (line {line})"


def load_checks(path: str | PathLike[str]) -> pd.DataFrame:
    """Read answers to checkpoint items for `count_failed`: comma separated, one per line.

    Raises RatingsError if the file is invalid, OSError if it cannot be read.
    """
    checks = _read_frame(Path(path).read_bytes(), CHECK_COLUMNS).reset_index(drop=True)
    return checks.assign(**{name: read_cells(checks[name]) for name in NAMES if name in checks})
