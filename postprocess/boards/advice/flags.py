"""What about submissions an organiser should look at. Flags are never verdicts."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from postprocess.types import Bools, Floats

MOST_ZEROS = 0.5  # of the predictions
LARGEST_RATIO = 1e6  # of absolute predictions, 0 left out
DISSIMILAR = 0.3  # the correlation of two submissions of a team, below which a flag is raised
SIMILAR = 0.9999  # that of two teams, above which one is


class Flag(StrEnum):
    """What is odd about predictions."""

    MANY_ZEROS = "more than half of the predictions are 0"
    WIDE_RANGE = "the largest prediction is more than a million times the smallest that is not 0"
    DISSIMILAR = "two submissions of the team hardly correlate"
    SIMILAR = "two teams sent almost the same predictions"
    BASELINE = "the predictions are those of a baseline"


class ComparedPair(NamedTuple):
    """Two submissions by name, and the correlation of their predictions."""

    first: str
    second: str
    correlation: float


def flag_predictions(
    predicted: ArrayLike, baselines: Mapping[str, ArrayLike] | None = None
) -> list[tuple[Flag, str]]:
    """Return what is odd about the predictions for one part, with the name of the baseline.

    >>> [flag.name for flag, _ in flag_predictions([0, 0, 0, 1, 20403**2])]
    ['MANY_ZEROS', 'WIDE_RANGE']
    """
    numbers = np.abs(np.asarray(predicted, dtype=float)).ravel()
    flags = []
    if (numbers == 0).mean() > MOST_ZEROS:
        flags.append((Flag.MANY_ZEROS, ""))
    others = numbers[numbers > 0]
    if others.size and others.max() / others.min() > LARGEST_RATIO:
        flags.append((Flag.WIDE_RANGE, ""))
    for name, baseline in (baselines or {}).items():
        if np.array_equal(np.asarray(predicted, dtype=float), np.asarray(baseline, dtype=float)):
            flags.append((Flag.BASELINE, name))
    return flags


def find_dissimilar(submissions: Mapping[str, ArrayLike]) -> list[ComparedPair]:
    """Return the pairs of submissions of one team and part whose predictions hardly correlate.

    Probes are random, and so unlike each other; versions of one system are alike.
    """
    return _find_pairs(submissions, lambda correlations: correlations < DISSIMILAR)


def find_similar(submissions: Mapping[str, ArrayLike]) -> list[ComparedPair]:
    """Return the pairs of submissions of different teams to one part that are almost the same.

    >>> find_similar({"a": [1, 2, 4], "b": [2, 4, 8], "c": [4, 2, 1]})[0][:2]
    ('a', 'b')
    """
    return _find_pairs(submissions, lambda correlations: correlations > SIMILAR)


def _find_pairs(
    submissions: Mapping[str, ArrayLike], is_wanted: Callable[[Floats], Bools]
) -> list[ComparedPair]:
    """Return the pairs of predictions, neither constant, whose Pearson correlation is wanted."""
    arrays = {
        name: _standardise(np.asarray(predicted, dtype=float).ravel())
        for name, predicted in submissions.items()
    }
    varying = {name: array for name, array in arrays.items() if array is not None}
    if len(varying) < 2:
        return []
    names, table = list(varying), np.array(list(varying.values()))
    correlations = np.clip(table @ table.T, -1, 1)
    pairs = np.argwhere(np.triu(is_wanted(correlations), 1))
    return [ComparedPair(names[i], names[j], float(correlations[i, j])) for i, j in pairs]


def _standardise(numbers: Floats) -> Floats | None:
    """Return numbers with a mean of 0 and a length of 1; None if they are constant."""
    if np.ptp(numbers) == 0:
        return None
    centred = numbers / np.abs(numbers).max()
    centred = centred - centred.mean()
    return np.asarray(centred / np.linalg.norm(centred))
