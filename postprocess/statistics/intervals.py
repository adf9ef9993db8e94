"""Bootstrap intervals, computed from the figures of resamples."""

from collections.abc import Callable
from statistics import NormalDist
from typing import Literal

import numpy as np

from postprocess.types import Floats

Range = Literal["correlation", "coefficient", "difference"]
Transform = Callable[[Floats], Floats]

MOST_UNDEFINED = 0.05  # share of resamples in which a figure may be undefined
NOISE = 1e-12  # rounding errors of figures
LARGEST = 1 - 1e-9  # Fisher's z of 1 is infinite


def basic_interval(
    figure: float,
    resampled: Floats,
    *,
    limit: float | None = None,
    within: Range = "correlation",
    left_out: Floats | None = None,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the basic bootstrap interval, computed on the scale of Fisher's z.

    It reflects the resampled figures about the figure, which corrects for the bias of few items;
    the percentile interval doubles that bias.

    Parameters
    ----------
    figure, level : float
        Of the sample; the share of intervals that contain the figure of infinitely many items.
    resampled : array, shape (n_resamples,)
        The figure of each resample of the items, NaN where it is undefined.
    limit : float, optional
        The figure of infinitely many items distributed as those of the sample; by default
        `figure`, which is correct unless the figure corrects for the number of items.
    within : "correlation", "coefficient" or "difference"
        The range of the figure: from -1 to 1, up to 1, or any number. A difference is not
        transformed, a coefficient only above 0; the interval of a coefficient is cut off at -1
        or, if the figure is below that, at the figure.
    left_out : array, shape (n_divisions, N_PARTS), optional
        The figure without each part of each `Division` of the annotators; widens the interval
        according to the dependence of the figure on them.

    Returns
    -------
    tuple of float
        Low and high end, with the figure between them. NaN if the figure is undefined, there are no
        resamples, or more than 5 % of them are undefined: the rest would be a biased selection.

    References
    ----------
    Davison and Hinkley (1997), section 5.2; Efron and Tibshirani (1993) for the jackknife.

    >>> basic_interval(4.0, np.arange(7.0), within="difference", level=0.5)
    (3.0, 7.0)
    """
    limit = figure if limit is None else limit
    stretch, shrink = RANGES[within]
    error = 0.0 if left_out is None else _jackknife_error(left_out, stretch)
    defined = _defined(resampled)
    if np.isnan(figure + limit + error) or not len(defined):
        return float("nan"), float("nan")
    if max(error, float(np.abs(defined - figure).max())) < NOISE:
        return figure, figure
    centre = stretch(np.array([figure, limit])).sum()
    quantiles = [(1 - level) / 2, 0.5, (1 + level) / 2]
    low, middle, high = np.quantile(stretch(defined), quantiles, method="weibull")
    reach = NormalDist().inv_cdf(quantiles[-1]) * error
    below, above = np.hypot(high - middle, reach), np.hypot(middle - low, reach)
    ends = shrink(centre - middle + np.array([-below, above]))
    least = -np.inf if within == "difference" else min(-1.0, figure)
    return max(least, min(float(ends[0]), figure)), max(float(ends[1]), figure)


def _defined(figures: Floats) -> Floats:
    """Return the figures that are not NaN; none if too many are NaN."""
    defined = figures[~np.isnan(figures)]
    return defined if len(defined) >= (1 - MOST_UNDEFINED) * figures.size else defined[:0]


def _jackknife_error(left_out: Floats, stretch: Transform) -> float:
    """Return the standard error over annotators, a mean over divisions; NaN if undefined."""
    if not len(_defined(left_out)):
        return float("nan")
    z = stretch(left_out)
    is_defined = ~np.isnan(z)
    n = np.maximum(is_defined.sum(axis=1), 1)
    deviations = np.where(is_defined, z, 0) - (np.where(is_defined, z, 0).sum(axis=1) / n)[:, None]
    squares = np.where(is_defined, deviations**2, 0).sum(axis=1) * (n - 1) / n
    return float(np.sqrt(squares.mean()))


def _fisher_z(figures: Floats) -> Floats:
    return np.asarray(np.arctanh(np.clip(figures, -LARGEST, LARGEST)))


def _fisher_z_above_0(figures: Floats) -> Floats:
    return np.where(figures > 0, _fisher_z(figures), figures)


def _tanh_above_0(numbers: Floats) -> Floats:
    return np.where(numbers > 0, np.tanh(numbers), numbers)


RANGES: dict[Range, tuple[Transform, Transform]] = {
    "correlation": (_fisher_z, np.tanh),
    "coefficient": (_fisher_z_above_0, _tanh_above_0),
    "difference": (np.asarray, np.asarray),
}
