"""The size of a dataset's changes, with and without rating noise."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.types import Floats

LEVEL = 0.5  # above it, most p-values are those of pairs that do not change


class ChangeSize(NamedTuple):
    """How large the changes are, in points of the scores.

    `mean`: of the absolute changes; `mean_by_noise`: what it would be if no pair changed;
    `root_mean_square`: of the changes; `without_noise`: that of the true changes; `unchanged`: the
    share of pairs that do not change, at most. NaN if undefined.
    """

    mean: float
    mean_by_noise: float
    root_mean_square: float
    without_noise: float
    unchanged: float


def squared_errors(scores: pd.DataFrame) -> Floats:
    """Return the squared standard error of each change, shape (n_pairs,).

    `scores` has the columns stdev1, stdev2, n1 and n2. NaN where a context has a single rating.
    """
    errors = scores["stdev1"] ** 2 / scores["n1"] + scores["stdev2"] ** 2 / scores["n2"]
    return errors.to_numpy(dtype=float)


def change_size(scores: pd.DataFrame) -> ChangeSize:
    """Measure the changes, and the part that the noise of single ratings accounts for.

    Measured changes are larger than true ones: noise adds to them, whatever its sign. The squared
    standard error of a change, stdev1² / n1 + stdev2² / n2, is the noise in its square.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 8 or more)
        Columns change, stdev1, stdev2 (sample deviations), n1, n2 and pvalue_two_sided, as
        `aggregate_ratings` returns it.

    Returns
    -------
    ChangeSize
        `mean_by_noise`: the mean of √(2/π) standard errors, for normal errors; `without_noise`:
        the root of the mean square less the mean squared standard error, 0 if that is negative;
        `unchanged`: the share of p-values above 0.5, doubled, at most 1. All but `mean` and
        `root_mean_square` are NaN if a context has a single rating, and all without pairs.

    References
    ----------
    Storey (2002), A direct approach to false discovery rates, for `unchanged`.

    Examples
    --------
    >>> size = change_size(pd.DataFrame({
    ...     "change": [2.0, -1.0], "stdev1": [1.0, 1.0], "stdev2": [2.0, 2.0], "n1": [5, 5],
    ...     "n2": [5, 5], "pvalue_two_sided": [0.04, 0.6]}))
    >>> [round(figure, 3) for figure in size]
    [1.5, 0.798, 1.581, 1.225, 1.0]
    """
    if scores.empty:
        return ChangeSize(*[float("nan")] * len(ChangeSize._fields))
    change = scores["change"].to_numpy(dtype=float)
    noise = squared_errors(scores)
    squared = float((change**2).mean())
    p = scores["pvalue_two_sided"].to_numpy(dtype=float)
    has_noise = not np.isnan(noise).any()
    return ChangeSize(
        mean=float(np.abs(change).mean()),
        mean_by_noise=float(np.sqrt(2 / np.pi * noise).mean()),
        root_mean_square=float(np.sqrt(squared)),
        without_noise=float(np.sqrt(np.maximum(squared - noise.mean(), 0))),
        unchanged=min(1.0, float((p > LEVEL).mean() / (1 - LEVEL))) if has_noise else np.nan,
    )
