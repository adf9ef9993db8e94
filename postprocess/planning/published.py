"""The smallest changes that numbers of annotators detect, simulated beforehand and looked up.

`published.tsv` was simulated from the published Slovene dataset by `bench/detectable.py`: a row for
each number of ratings of a context, a column for each number of points of the scale.
"""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("published.tsv")
SOURCE = "CoSimLex, Slovene"


def published_curve(n_points: int) -> dict[int, float]:
    """Return the smallest detectable change, from 0 to 10, by number of ratings of a context.

    For a scale without a column the change is interpolated in the reciprocal of the
    number of points; more points than in the last column hardly matter.

    >>> curve = published_curve(7)
    >>> curve[8] > curve[12] > curve[20]
    True
    """
    columns = _read_table()
    lower = max((n for n in columns if n <= n_points), default=min(columns))
    upper = min((n for n in columns if n >= n_points), default=max(columns))
    if lower == upper:
        return columns[lower]
    part = (1 / lower - 1 / n_points) / (1 / lower - 1 / upper)
    low, high = columns[lower], columns[upper]
    return {n: change + part * (high[n] - change) for n, change in low.items()}


def change_at(curve: Mapping[int, float], n: int) -> float:
    """Return the change that n annotators detect, interpolated; NaN outside the curve.

    Between two numbers the logarithm of the change is linear in that of the number, since
    deviations of a mean fall with the root of the number.

    >>> change_at({4: 4.0, 16: 2.0}, 8)
    2.8284271247461903
    >>> change_at({4: 4.0, 16: 2.0}, 17)
    nan
    """
    if n in curve:
        return curve[n]
    sizes = [size for size, change in curve.items() if not math.isnan(change)]
    lower = max((size for size in sizes if size < n), default=None)
    upper = min((size for size in sizes if size > n), default=None)
    if lower is None or upper is None:
        return math.nan
    slope = math.log(curve[upper] / curve[lower]) / math.log(upper / lower)
    return curve[lower] * math.exp(slope * math.log(n / lower))


@cache
def _read_table() -> dict[int, dict[int, float]]:
    """Return the curves by number of points."""
    header, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return {
        int(points): {int(row[0]): float(row[place]) for row in rows}
        for place, points in enumerate(header.split("\t"))
        if place
    }
