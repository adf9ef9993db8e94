"""The metrics of shared tasks, and the tracks that they score.

Scores are computed for samples of numbers: all of them, all but some, or drawn with repetitions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from postprocess.statistics.correlations import FEWEST_COMMON
from postprocess.types import Floats

TAGS, NO_TAG = {"T": 1.0, "F": -1.0}, 0.5  # as numbers; an absent prediction equals neither


class Metric(StrEnum):
    """How predictions of a track are scored; see `METRICS`."""

    CHANGE = "change"
    HARMONIC = "harmonic"
    SPEARMAN = "spearman"
    ACCURACY = "accuracy"
    ORDINAL_ALPHA = "ordinal_alpha"


@dataclass(frozen=True)
class Track:
    """What teams predict: the gold's columns, how they are scored, and how scores are shown.

    `number`: the subtask's, from 1; `is_percent`: whether scores are shown in per cent.
    """

    number: int
    title: str
    metric: Metric
    columns: tuple[str, ...]
    is_percent: bool = False

    @property
    def is_of_contexts(self) -> bool:
        """Whether it is of pairs of words in two contexts, as CoSimLex has them."""
        return (self.number, self.metric, self.columns) in OF_CONTEXTS

    @property
    def what(self) -> str:
        """What systems predict, in words."""
        return OF_CONTEXTS.get((self.number, self.metric, self.columns), self.title)

    @property
    def formula(self) -> str:
        """The formula of its metric, as sentences."""
        rows = "both contexts of all pairs" if self.is_of_contexts else "all rows"
        return METRICS[self.metric].formula.format(rows=rows)


OF_CONTEXTS = {
    (1, Metric.CHANGE, ("change",)): (
        "how far the similarity of two words changes between two contexts"
    ),
    (2, Metric.HARMONIC, ("sim_context1", "sim_context2")): (
        "how similar two words are in each of two contexts"
    ),
}
CHANGES, SIMILARITIES = GWSC = tuple(  # of SemEval-2020 Task 3
    Track(number, title, metric, columns)
    for title, (number, metric, columns) in zip(("change", "similarity"), OF_CONTEXTS, strict=True)
)


class Definition(NamedTuple):
    """A metric: its formula, and what is undefined, as sentences; and its function.

    `compute` takes predictions and gold, shape (n,), and how often each sample has each number,
    shape (n_samples, n). It returns the scores of the samples, shape (n_samples,), NaN where there
    is none. `lowest`: the lowest score, from which on there are intervals; `is_correlation`:
    whether formulas for correlations say how scores vary.
    """

    formula: str
    undefined: str
    compute: Callable[[Floats, Floats, Floats], Floats]
    lowest: float = -1.0
    is_correlation: bool = True


def pearson(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Return Pearson's correlations of samples; NaN if undefined."""
    x, y = x - x.mean(), y - y.mean()
    n = np.maximum(counts.sum(axis=1), 1)
    total_x, total_y, products, squares_x, squares_y = (
        counts @ column for column in (x, y, x * y, x * x, y * y)
    )
    return _divide(
        products - total_x * total_y / n, squares_x - total_x**2 / n, squares_y - total_y**2 / n
    )


def spearman(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Return the rank correlations of samples; NaN if undefined, or for fewer than 3 numbers."""
    first, second = (_rank(values, counts) for values in (x, y))
    n = counts.sum(axis=1)
    mean = (n + 1) / 2
    rho = _divide(
        *((counts * a * b).sum(axis=1) - n * mean**2
          for a, b in ((first, second), (first, first), (second, second)))
    )  # fmt: skip
    return np.where(n >= FEWEST_COMMON, rho, np.nan)


def _uncentred(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Return the uncentred correlations of samples; 0 if undefined."""
    products, squares, gold_squares = (counts @ column for column in (x * y, x * x, y * y))
    size = np.sqrt(squares * gold_squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(size > 0, np.clip(products / size, -1, 1), 0.0)


def _harmonic(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Return the harmonic means of both correlations; 0 unless both are positive."""
    r, rho = pearson(x, y, counts), spearman(x, y, counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((r > 0) & (rho > 0), 2 * r * rho / (r + rho), 0.0)


def _accuracy(x: Floats, y: Floats, counts: Floats) -> Floats:
    return np.asarray(counts @ (x == y) / np.maximum(counts.sum(axis=1), 1))


def _ordinal_alpha(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Return Krippendorff's ordinal α of samples, each row rated by the gold and by a system."""
    from postprocess.statistics.agreement.alpha import weighted_alpha  # slow to import
    from postprocess.statistics.agreement.group_arrays import Stack

    rows = np.arange(len(x))[None]
    stack = Stack(np.array([[x, y]]), np.zeros(1, dtype=int), np.arange(2)[None], rows)
    return weighted_alpha([stack], counts.T, level="ordinal")


def _rank(values: Floats, counts: Floats) -> Floats:
    """Return ranks of numbers in samples with repetitions, the mean rank for equal numbers.

    `counts` and the result have the shape (n_samples, n_numbers).
    """
    _, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    of_values = np.add.reduceat(counts[:, order], starts, axis=1)
    ranks = np.cumsum(of_values, axis=1) - (of_values - 1) / 2
    return np.asarray(ranks[:, place])


def _divide(products: Floats, first: Floats, second: Floats) -> Floats:
    """Return correlations from sums of squares; NaN if a side is constant."""
    is_defined = (first > 0) & (second > 0)
    size = np.sqrt(np.where(is_defined, first * second, 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(size > 0, np.clip(products / size, -1, 1), np.nan)


METRICS = {
    Metric.CHANGE: Definition(
        "u = Σxg / √(Σx² · Σg²) over all pairs, for predicted changes x and published changes g, "
        "as in the column `change`. It is 0 if all x are 0.",
        "A score is 0 if all predictions are 0.",
        _uncentred,
    ),
    Metric.HARMONIC: Definition(
        "H = 2PS / (P + S) over {rows}, for Pearson's correlation P and Spearman's S (average "
        "ranks for equal values). It is 0 if P or S is not above 0, or if all predictions are "
        "equal.",
        "A score is 0 if the predictions are constant, or if a correlation is not positive.",
        _harmonic,
        lowest=0.0,
    ),
    Metric.SPEARMAN: Definition(
        "Spearman's ρ over {rows} (average ranks for equal values). If all predictions are equal, "
        "there is no score.",
        "Constant predictions have no score, and no place.",
        spearman,
    ),
    Metric.ACCURACY: Definition(
        "the share of {rows} whose tag is predicted. A missing tag is wrong.",
        "",
        _accuracy,
        lowest=0.0,
        is_correlation=False,
    ),
    Metric.ORDINAL_ALPHA: Definition(
        "Krippendorff's ordinal α between predictions and gold, over {rows} whose median is "
        "whole. If these are all equal in both, there is no score.",
        "",
        _ordinal_alpha,
        is_correlation=False,
    ),
}
