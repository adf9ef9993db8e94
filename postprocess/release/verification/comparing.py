"""Comparing the published files of a release with the same files computed again."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as arrow_parquet

from postprocess.release.assembling import CROISSANT, REPORT
from postprocess.release.checksums import CHECKSUMS, render_checksums

ROUNDING = 1e-9  # relative; other versions of NumPy and SciPy add in another order
NOTHING = 1e-12  # absolute
ABSENT = object()
# Entries of a report that other code may word in another way, or whose data it published.
OF_CODE = ("recipe.sha256", "to_be_written", "agreement.not_known", "confounds.not_known")
Leaf = tuple[str, object]  # the place of a value in a report, and the value


@dataclass(frozen=True)
class Difference:
    """A place of a release whose content does not follow from the data.

    `place` is empty where the file as a whole is meant, otherwise a row and column of a table or a
    path in a report.
    """

    file: str
    place: str
    published: str
    computed: str

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: published {self.published}, computed {self.computed}"


@dataclass
class Comparison:
    """Collects what was compared.

    `figures`: the different numbers that are equal, to nine digits; `unchecked`: by file, places
    of a release by other code that this code writes in another way or not at all.
    """

    is_same_code: bool = True
    differences: list[Difference] = field(default_factory=list)
    figures: set[float] = field(default_factory=set)
    n_rounded: int = 0
    unchecked: dict[str, list[str]] = field(default_factory=dict)

    def compare(self, file: str, place: str, published: object, computed: object) -> None:
        """Compare two values; numbers are counted."""
        if published == computed or _is_close(published, computed):
            self.n_rounded += published != computed
            self.count([published] if _is_number(published) else [])
        elif published is ABSENT or computed is ABSENT:
            self.differ(file, place, published, computed)
        else:
            self.differences.append(Difference(file, place, _show(published), _show(computed)))

    def differ(self, file: str, place: str, published: object, computed: object) -> None:
        """Record a difference if the same code made the release, else an unchecked place."""
        if self.is_same_code:
            self.differences.append(Difference(file, place, _show(published), _show(computed)))
        else:
            self.unchecked.setdefault(file, []).append(place)

    def count(self, numbers: Iterable[Any]) -> None:
        """Count numbers that are as computed, each once."""
        self.figures.update(float(f"{number:.9g}") for number in numbers)


def compare_checksums(done: Comparison, files: Mapping[str, bytes]) -> None:
    """Compare all files with `SHA256SUMS`."""
    listable = {name: content for name, content in files.items() if name != CHECKSUMS}
    listed = _read_checksums(files.get(CHECKSUMS, b""))
    computed = _read_checksums(render_checksums(listable))
    for name in sorted({*listed, *computed}):
        if name not in listed:
            done.differences.append(Difference(CHECKSUMS, name, "not listed", "a file"))
        elif name not in computed:
            done.differences.append(Difference(CHECKSUMS, name, "listed", "no such file"))
        elif listed[name] != computed[name]:
            done.differences.append(Difference(CHECKSUMS, name, listed[name], computed[name]))
    if listed == computed and files[CHECKSUMS] != render_checksums(listable):
        done.differences.append(Difference(CHECKSUMS, "", "other lines", "a line for each file"))


def _read_checksums(content: bytes) -> dict[str, str]:
    lines = (line.partition("  ") for line in content.decode("utf-8", "replace").splitlines())
    return {name: digest for digest, _, name in lines}


def compare_tables(done: Comparison, file: str, published: bytes, computed: bytes) -> None:
    """Compare two text tables cell by cell."""
    rows, others = (
        [line.split("\t") for line in text.decode("utf-8", "replace").split("\n")]
        for text in (published, computed)
    )
    if not done.is_same_code and rows[0] != others[0]:
        rows, others = _keep_common(done, file, rows, others)
    header = others[0]
    for number, (row, other) in enumerate(zip_longest(rows, others, fillvalue=[""])):
        for column, (cell, other_cell) in enumerate(zip_longest(row, other, fillvalue="")):
            name = header[column] if column < len(header) else f"column {column + 1}"
            done.compare(file, f"row {number}, {name}", _as_number(cell), _as_number(other_cell))


def _keep_common(done: Comparison, file: str, *tables: list[list[str]]) -> list[list[list[str]]]:
    """Return the columns that two tables share, with cells beyond them; collect the others."""
    first, second = (Counter(table[0]) for table in tables)
    shared = [name for name in tables[1][0] if first[name] == second[name] == 1]
    for name in (first | second).keys() - set(shared):
        done.differ(file, f"column {name}", "", "")
    return [
        [
            [row[n] for n in map(table[0].index, shared) if n < len(row)] + row[len(table[0]) :]
            for row in table
        ]
        for table in tables
    ]


def compare_parquet(
    done: Comparison, file: str, published: bytes, computed: bytes, *, is_counted: bool
) -> None:
    """Compare two Parquet tables column by column; the bytes depend on the writer's version."""
    try:
        table = arrow_parquet.read_table(pa.BufferReader(published))
    except (pa.ArrowException, OSError):  # OSError: damaged inside
        done.differences.append(Difference(file, "", "not a Parquet file", "one"))
        return
    other = arrow_parquet.read_table(pa.BufferReader(computed))
    names = Counter(table.column_names)
    for name in other.column_names:
        if names[name] == 1 and not _equal(table[name], other[name]):
            done.differences.append(Difference(file, f"column {name}", "another", "the text’s"))
        elif is_counted and names[name] == 1 and _has_numbers(other[name]):
            done.count(other[name].drop_null().unique().to_pylist())
    if not table.schema.equals(other.schema, check_metadata=True):
        done.differ(file, "columns", _name_columns(table), _name_columns(other))


def _name_columns(table: pa.Table) -> str:
    return ", ".join([*table.column_names, *map(str, table.schema.metadata or ())])


def _has_numbers(column: pa.ChunkedArray) -> bool:
    kind = column.type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _equal(column: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    if column.type != other.type or len(column) != len(other):
        return False
    if not pa.types.is_floating(column.type):
        return bool(column.equals(other))
    numbers, others = column.to_numpy(), other.to_numpy()
    return bool(np.allclose(numbers, others, rtol=ROUNDING, atol=NOTHING, equal_nan=True))


def compare_metadata(done: Comparison, content: bytes, computed: bytes) -> None:
    """Compare Croissant's metadata, but for the sizes and digests of files."""
    differing = Comparison()
    compare_json(differing, CROISSANT, content, computed, but=(".sha256", ".contentSize"))
    for difference in differing.differences:
        done.differ(difference.file, difference.place, difference.published, difference.computed)


def compare_json(
    done: Comparison, file: str, published: bytes, computed: bytes, *, but: tuple[str, ...] = ()
) -> None:
    """Compare two JSON files value by value, but for places with these ends."""
    try:
        tree = read_json(published)
    except ValueError:
        done.differences.append(Difference(file, "", "not valid JSON", "valid JSON"))
        return
    leaves, others = (dict(_leaves(leaf)) for leaf in (tree, read_json(computed)))
    for place in leaves | others:
        if not place.endswith(but):
            done.compare(file, place, leaves.get(place, ABSENT), others.get(place, ABSENT))


def compare_reports(done: Comparison, report: dict[str, Any], computed: dict[str, Any]) -> None:
    """Compare two reports value by value, but for the code that they name."""
    published, again = (
        dict(_leaves({name: part for name, part in tree.items() if name != "code"}))
        for tree in (report, computed)
    )
    for place in published | again:
        values = published.get(place, ABSENT), again.get(place, ABSENT)
        if values[0] != values[1] and place.startswith(OF_CODE):
            done.differ(REPORT, place, *values)
        else:
            done.compare(REPORT, place, *values)


def read_json(content: bytes) -> Any:
    """Read JSON. Raises ValueError, also if an object has a name twice."""
    return json.loads(content, object_pairs_hook=_refuse_twice)


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an object has a name twice")
    return dict(pairs)


def name_places(places: Iterable[str]) -> str:
    """Name places of a report, the rows of a list with their number.

    >>> name_places(["agreement.by.block[1].n", "agreement.by.block[2].n", "counts.new"])
    'agreement.by.block (2 rows), counts.new'
    """
    rows = dict.fromkeys(
        re.sub(r"(\[[^]]*\]).*", r"\1", place, flags=re.DOTALL) for place in places
    )
    lists = Counter(re.sub(r"\[\d+\]$", "", row) for row in rows)
    return ", ".join(f"{name} ({n} rows)" if n > 1 else name for name, n in lists.items())


def _leaves(tree: object, place: str = "") -> Iterator[Leaf]:
    """Yield the values of a JSON tree with their places, such as counts.pairs.

    Rows of confounds are placed by what they relate, since other code may know more of them.
    """
    if isinstance(tree, dict) and tree:
        for name, part in tree.items():
            key = json.dumps(name) if set(name) & set('."[') else name
            yield from _leaves(part, f"{place}.{key}" if place else key)
    elif isinstance(tree, list) and tree:
        seen: Counter[str] = Counter()
        for number, part in enumerate(tree, 1):
            row = _name_row(part) or str(number)
            seen[row] += 1
            again = f"[{seen[row]}]" if seen[row] > 1 else ""
            yield from _leaves(part, f"{place}[{row}]{again}")
    else:
        yield place, tree


def _name_row(row: object) -> str:
    if isinstance(row, dict) and {"outcome", "confound"} <= row.keys():
        return json.dumps(f"{row['outcome']} and {row['confound']}")
    return ""


def _as_number(cell: str) -> object:
    try:
        number = float(cell)
    except ValueError:
        return cell
    return number if math.isfinite(number) else cell


def _is_number(entry: object) -> bool:
    return isinstance(entry, int | float) and not isinstance(entry, bool)


def _is_close(one: object, other: object) -> bool:
    if not (isinstance(one, int | float) and isinstance(other, int | float)):
        return False
    return math.isclose(one, other, rel_tol=ROUNDING, abs_tol=NOTHING)


def _show(entry: object) -> str:
    if entry is ABSENT or entry in (None, "", [], {}):
        return "nothing"
    return f"{entry:.12g}" if isinstance(entry, float) else f"{entry}"
