"""Comparing the published files of a release with the same files computed again."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as arrow_parquet

from postprocess.release.assembling import CROISSANT, REPORT
from postprocess.release.checksums import CHECKSUMS, render_checksums
from postprocess.table.details import TRAITS

ROUNDING = 1e-9  # relative; other versions of NumPy and SciPy add in another order
NOTHING = 1e-12  # absolute
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
    """Collects what was compared."""

    differences: list[Difference] = field(default_factory=list)
    n_figures: int = 0
    n_rounded: int = 0

    def compare(self, file: str, place: str, published: object, computed: object) -> None:
        """Compare two values; numbers are counted."""
        if published == computed:
            self.n_figures += _is_number(published)
        elif _is_close(published, computed):
            self.n_figures += 1
            self.n_rounded += 1
        else:
            self.differences.append(Difference(file, place, _show(published), _show(computed)))


def compare_checksums(done: Comparison, files: Mapping[str, bytes]) -> None:
    """Compare all files with `SHA256SUMS`."""
    own = {name: content for name, content in files.items() if name != CHECKSUMS}
    listed = _read_checksums(files.get(CHECKSUMS, b""))
    found = _read_checksums(render_checksums(own))
    for name in sorted({*listed, *found}):
        if name not in listed:
            done.differences.append(Difference(CHECKSUMS, name, "not listed", "a file"))
        elif name not in found:
            done.differences.append(Difference(CHECKSUMS, name, "listed", "no such file"))
        elif listed[name] != found[name]:
            done.differences.append(Difference(CHECKSUMS, name, listed[name], found[name]))


def _read_checksums(content: bytes) -> dict[str, str]:
    lines = (line.partition("  ") for line in content.decode("utf-8", "replace").splitlines())
    return {name: digest for digest, _, name in lines}


def compare_tables(done: Comparison, file: str, published: bytes, computed: bytes) -> None:
    """Compare two text tables cell by cell."""
    rows = [text.decode("utf-8", "replace").split("\n") for text in (published, computed)]
    header = rows[1][0].split("\t")
    for number, (row, other) in enumerate(zip_longest(*rows, fillvalue="")):
        cells = zip_longest(row.split("\t"), other.split("\t"), fillvalue="")
        for column, (cell, other_cell) in enumerate(cells):
            name = header[column] if column < len(header) else f"column {column + 1}"
            done.compare(file, f"row {number}, {name}", _as_number(cell), _as_number(other_cell))


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
    for name in other.column_names:
        if name not in table.column_names or not _equal(table[name], other[name]):
            done.differences.append(Difference(file, f"column {name}", "another", "the text’s"))
        elif is_counted and _has_numbers(other[name]):
            done.n_figures += len(other) - other[name].null_count


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
    compare_json(done, CROISSANT, content, computed, but=(".sha256", ".contentSize"))


def compare_json(
    done: Comparison, file: str, published: bytes, computed: bytes, *, but: tuple[str, ...] = ()
) -> None:
    """Compare two JSON files value by value, but for places with these ends."""
    try:
        tree = json.loads(published)
    except ValueError:
        done.differences.append(Difference(file, "", "not valid JSON", "valid JSON"))
        return
    leaves = [dict(_leaves(one)) for one in (tree, json.loads(computed))]
    for place in leaves[0] | leaves[1]:
        if not place.endswith(but):
            done.compare(file, place, *(one.get(place) for one in leaves))


def compare_reports(done: Comparison, report: dict[str, Any], computed: dict[str, Any]) -> int:
    """Compare two reports number by number, but for the code that they name.

    Returns the number of published figures that were not compared, since they rest on unpublished
    details of the ratings.
    """
    has_details = "details" in report["inputs"]
    drop = _drop_details if has_details else _keep
    published, kept, again = (
        dict(_leaves(_without_code(tree))) for tree in (report, drop(report), drop(computed))
    )
    for place in kept | again:
        done.compare(REPORT, place, kept.get(place), again.get(place))
    return sum(map(_is_number, published.values())) - sum(map(_is_number, kept.values()))


def _keep(report: dict[str, Any]) -> dict[str, Any]:
    return report


def _without_code(report: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in report.items() if name != "code"}


def _drop_details(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report without the figures that rest on details of the ratings."""
    agreement, confounds = report.get("agreement", {}), report.get("confounds", {})
    by = {name: rows for name, rows in agreement.get("by", {}).items() if name not in TRAITS}
    table = [row for row in confounds.get("table", []) if row.get("outcome") != "rating"]
    inputs = {name: digest for name, digest in report["inputs"].items() if name != "details"}
    return {
        **report,
        "agreement": {**agreement, "by": by, "not_known": []},
        "confounds": {**confounds, "table": table, "not_known": []},
        "inputs": inputs,
    }


def _leaves(tree: object, place: str = "") -> Iterator[Leaf]:
    """Yield the values of a JSON tree with their places, such as counts.pairs."""
    if isinstance(tree, dict):
        for name, part in tree.items():
            yield from _leaves(part, f"{place}.{name}" if place else name)
    elif isinstance(tree, list):
        for number, part in enumerate(tree, 1):
            yield from _leaves(part, f"{place}[{number}]")
    else:
        yield place, tree


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
    if entry is None or entry == "":
        return "nothing"
    return f"{entry:.12g}" if isinstance(entry, float) else f"{entry}"
