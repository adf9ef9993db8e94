"""How many ratings a context of a dataset has, as far as its figures tell."""

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postprocess.auditing.granularity import Grid
from postprocess.auditing.printed import printed_bounds
from postprocess.ratings import name_some

FEWEST_CONTEXTS = 20  # of a dataset for anything to be said of all of them
FEWEST_NEEDED, SHARE_NEEDED = 2, 0.02  # contexts that no number before them explains
DEVIATIONS_ABOVE_CHANCE = 3


class Size(NamedTuple):
    """A number of ratings, and how many contexts can have it."""

    n: int
    n_contexts: int


class Fits(NamedTuple):
    """Which numbers of ratings fit which contexts, and how likely that was to be by chance.

    `fits` and `chances` have the shape (n_contexts, n_sizes).
    """

    sizes: Sequence[int]
    fits: NDArray[np.bool_]
    chances: NDArray[np.float64]


def chances_of_fit(
    figures: Sequence[tuple[float, float]], sizes: Sequence[int], grid: Grid, *, ddof: int = 1
) -> NDArray[np.float64]:
    """How likely numbers of ratings are to fit figures that they have nothing to do with.

    Parameters
    ----------
    figures : sequence of (mean, deviation)
        As printed; NaN for what is not known.
    sizes : sequence of int
        Numbers of ratings.
    grid : Grid
        Where the ratings lie.
    ddof : int
        Of the deviation.

    Returns
    -------
    array, shape (n_figures, n_sizes)
        The share of means that n ratings can have among all that could be printed, times that
        of sums of squares; 1 for a deviation of 0, which fits any number, or NaN.

    Examples
    --------
    >>> grid = Grid(n_steps=6, unit=5 / 3, lowest=0)
    >>> chances_of_fit([(5.0, 2.0)], [10, 40, 200], grid).round(3).tolist()
    [[0.004, 0.067, 1.0]]
    """
    n = np.array(sizes, dtype=float)
    table = np.array(figures, dtype=float).reshape(-1, 2)
    widths = np.array([[_width(figure) for figure in row] for row in table.tolist()]).reshape(-1, 2)
    unit = float(grid.unit)
    means = np.minimum(1, widths[:, :1] * n / unit)
    # the sum of squares grows by twos, for it is odd where the sum is
    squares = np.minimum(1, table[:, 1:] * widths[:, 1:] * (n - ddof) / unit**2)
    says_nothing = np.isnan(table).any(axis=1) | (table[:, 1] <= 0)
    return np.where(says_nothing[:, None], 1.0, means * squares)


def find_sizes(known: Fits) -> tuple[Size, ...]:
    """The numbers of ratings that explain the contexts of a dataset, as few as possible.

    Returns
    -------
    tuple of Size, ascending
        Each time the number that fits most of the contexts not explained so far, less what it
        would fit by chance, as long as that is two contexts and 2 % of all, and more than three
        standard deviations of chance. Empty for fewer than 20 contexts.

    Notes
    -----
    It is an estimate. A number that few contexts have is not found, and one that others stand
    in for may be missed.

    Examples
    --------
    >>> fits = np.array([[False, True, True]] * 15 + [[True, False, True]] * 10)
    >>> find_sizes(Fits([9, 10, 150], fits, np.array([[0.1, 0.1, 0.9]] * 25)))
    (Size(n=9, n_contexts=10), Size(n=10, n_contexts=15))
    """
    n_contexts = len(known.fits)
    if n_contexts < FEWEST_CONTEXTS:
        return ()
    fewest = max(FEWEST_NEEDED, SHARE_NEEDED * n_contexts)
    found = itertools.takewhile(lambda one: one[1] >= fewest, _explain(known))
    places = sorted(place for place, _ in found)
    return tuple(Size(known.sizes[place], int(known.fits[:, place].sum())) for place in places)


def count_explained(known: Fits, n_sizes: int = 3) -> float:
    """How many contexts a few numbers of ratings explain beyond chance, as `find_sizes` does.

    >>> count_explained(Fits([9, 10], np.array([[False, True]] * 40), np.full((40, 2), 0.25)))
    30.0
    """
    return sum(excess for _, excess in itertools.islice(_explain(known), n_sizes))


def name_sizes(sizes: Collection[int]) -> str:
    """Numbers of ratings in words.

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


def _explain(known: Fits) -> Iterator[tuple[int, float]]:
    """Each number that explains contexts which those before it do not, and how many, most first."""
    left = np.ones(len(known.fits), dtype=bool)
    while left.any():
        expected = known.chances[left].sum(axis=0)
        excess = known.fits[left].sum(axis=0) - expected
        best = int(excess.argmax())
        if excess[best] <= DEVIATIONS_ABOVE_CHANCE * np.sqrt(expected[best]):
            return
        yield best, float(excess[best])
        left &= ~known.fits[:, best]
