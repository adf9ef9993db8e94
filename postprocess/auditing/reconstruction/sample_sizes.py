"""Estimating the numbers of ratings of a dataset's contexts from their figures."""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postprocess.auditing.reconstruction.granularity import Grid
from postprocess.auditing.reconstruction.printed import printed_bounds
from postprocess.table.ratings import name_some

MIN_CONTEXTS = 20  # of a dataset for an estimate
MIN_NEEDED, SHARE_NEEDED = 2, 0.02  # contexts that must have a number of ratings
SHARE_WRONG = 0.02  # assumed share of contexts with wrong figures
EM_STEPS = 50
MIN_CHANCE = 1e-9  # a printed 0 is exact and would have a chance of 0
CLEARLY = math.log(1000)  # a likelihood ratio


class Size(NamedTuple):
    """A number of ratings, and the number of contexts that can have it."""

    n: int
    n_contexts: int


class Fits(NamedTuple):
    """Whether numbers of ratings fit contexts, and the probability that they do by chance.

    `fits` and `chances` have the shape (n_contexts, n_sizes).
    """

    sizes: Sequence[int]
    fits: NDArray[np.bool_]
    chances: NDArray[np.float64]


def chances_of_fit(
    figures: Sequence[tuple[float, float]], sizes: Sequence[int], grid: Grid, *, ddof: int = 1
) -> NDArray[np.float64]:
    """Return the probability that numbers of ratings fit unrelated figures by chance.

    `figures` are means and deviations as printed, NaN if missing. The probability, of shape
    (n_figures, n_sizes), is the share of attainable means among all printable ones, times the same
    share for sums of squares; 1 for NaN or a deviation of 0, which fits any number.

    >>> grid = Grid(n_steps=6, unit=5 / 3, lowest=0)
    >>> chances_of_fit([(5.0, 2.0)], [10, 40, 200], grid).round(3).tolist()
    [[0.004, 0.067, 1.0]]
    """
    n = np.array(sizes, dtype=float)
    table = np.array(figures, dtype=float).reshape(-1, 2)
    widths = np.array([[_width(figure) for figure in row] for row in table.tolist()]).reshape(-1, 2)
    unit = float(grid.unit)
    means = np.minimum(1, widths[:, :1] * n / unit)
    # the sum of squares grows in steps of two: it is odd if the sum is
    squares = np.minimum(1, table[:, 1:] * widths[:, 1:] * (n - ddof) / unit**2)
    is_uninformative = np.isnan(table).any(axis=1) | (table[:, 1] <= 0)
    return np.where(is_uninformative[:, None], 1.0, means * squares)


def find_sizes(fits: Fits) -> tuple[Size, ...]:
    """Estimate the numbers of ratings that the contexts of a dataset have, in ascending order.

    They are the numbers that, by maximum likelihood (the EM algorithm), belong to at least two
    contexts and to 2 % of all. None for fewer than 20 contexts, or if the numbers do not explain
    the figures clearly better than chance (see `evidence_of`).

    >>> fits = np.array([[False, True, True]] * 15 + [[True, False, True]] * 10)
    >>> find_sizes(Fits([9, 10, 150], fits, np.array([[0.1, 0.1, 0.9]] * 25)))
    (Size(n=9, n_contexts=10), Size(n=10, n_contexts=15))
    """
    n_contexts = len(fits.fits)
    if n_contexts < MIN_CONTEXTS:
        return ()
    mixture = _estimate_mixture(fits)
    if mixture.evidence < CLEARLY:
        return ()
    fewest = max(MIN_NEEDED, SHARE_NEEDED * n_contexts)
    places = np.flatnonzero(mixture.n_contexts >= fewest).tolist()
    return tuple(Size(fits.sizes[place], int(fits.fits[:, place].sum())) for place in places)


def evidence_of(fits: Fits) -> float:
    """Measure how much better than chance the numbers of ratings explain the contexts.

    The logarithm of a likelihood ratio. Numerator: each context has one of the numbers of ratings,
    in estimated proportions (the EM algorithm), or is wrong (one in fifty). Denominator: the
    figures are unrelated to whole ratings.

    >>> fits, chances = np.array([[False, True]] * 40), np.full((40, 2), 0.25)
    >>> round(evidence_of(Fits([9, 10], fits, chances)) / 40, 2)  # log of 4, nearly
    1.37
    """
    return _estimate_mixture(fits).evidence


def name_sizes(sizes: Collection[int]) -> str:
    """Return numbers of ratings as text.

    >>> name_sizes(range(9, 12)), name_sizes([10]), name_sizes([7, 21])
    ('9–11', '10', '7, 21')
    """
    ascending = sorted(sizes)
    if len(ascending) > 1 and ascending == list(range(ascending[0], ascending[-1] + 1)):
        return f"{ascending[0]}–{ascending[-1]}"
    return name_some([str(n) for n in ascending])


def _width(figure: float) -> float:
    if np.isnan(figure):
        return 0.0
    bounds = printed_bounds(figure)
    return float(bounds.high - bounds.low)


class _Mixture(NamedTuple):
    """Estimated numbers of contexts by number of ratings, and the evidence for them."""

    n_contexts: NDArray[np.float64]
    evidence: float


def _estimate_mixture(fits: Fits) -> _Mixture:
    """Estimate how many contexts have each number of ratings, by the EM algorithm."""
    gains = fits.fits / np.maximum(fits.chances, MIN_CHANCE)
    weights = np.full(gains.shape[1], 1 / gains.shape[1])
    for _ in range(EM_STEPS):
        explained = (1 - SHARE_WRONG) * gains * weights
        shares = explained / (SHARE_WRONG + explained.sum(axis=1, keepdims=True))
        counts = shares.sum(axis=0)
        weights = counts / max(counts.sum(), 1.0)
    likelihood = SHARE_WRONG + explained.sum(axis=1)
    return _Mixture(counts, float(np.log(likelihood).sum()))
