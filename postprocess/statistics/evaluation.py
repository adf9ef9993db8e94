"""The metrics of the shared task, and a dataset's row of Table 1 in the task paper."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from postprocess.reporting.phrases import write_figure
from postprocess.statistics.correlations import mean_defined, spearman
from postprocess.types import Floats

if TYPE_CHECKING:
    import pandas as pd

SHARES = {  # of pairs: the column of the scores, and the level it is below
    "share_q": ("qvalue", 0.05),
    "share_two_sided": ("pvalue_two_sided", 0.05),
    "share_one_sided": ("pvalue", 0.05),
    "share_one_sided_10": ("pvalue", 0.1),
}


def uncentered_pearson(predicted: ArrayLike, gold: ArrayLike) -> float:
    """Compute the metric of subtask 1: the uncentred correlation of predicted and gold changes.

    Parameters
    ----------
    predicted, gold : array_like, shape (n_pairs,)
        Changes in similarity, each in its own unit, without NaN.

    Returns
    -------
    float
        The sum of products over the root of the product of the sums of squares, from -1 to 1;
        NaN if either has only zeros.

    Raises
    ------
    ValueError
        Different lengths, none at all, or a value that is not finite.

    References
    ----------
    Armendariz et al. (2020), SemEval-2020 Task 3; the fraction printed there is mistyped.

    Examples
    --------
    >>> uncentered_pearson([3, 4], [4, 3])
    0.96
    """
    x, y = _matched(predicted, gold)
    size = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / size if size > 0 else float("nan")


def harmonic_correlation(predicted: ArrayLike, gold: ArrayLike) -> float:
    """Compute the metric of subtask 2: the harmonic mean of Pearson's and Spearman's correlation.

    Parameters
    ----------
    predicted, gold : array_like, shape (2 * n_pairs,)
        Similarity scores of all contexts, each in its own unit, without NaN.

    Returns
    -------
    float
        From 0 to 1, never NaN: 0 if either correlation is 0 or negative, since a harmonic mean
        is defined for positive numbers only, or undefined (constant scores, fewer than 3).

    Raises
    ------
    ValueError
        Different lengths, none at all, or a value that is not finite.

    References
    ----------
    Armendariz et al. (2020), SemEval-2020 Task 3.

    Examples
    --------
    >>> round(harmonic_correlation([0, 1, 2, 6], [0, 2, 1, 6]), 4)
    0.8693
    >>> harmonic_correlation([6, 2, 1, 0], [0, 1, 2, 6])
    0.0
    """
    x, y = _matched(predicted, gold)
    rank = spearman(x, y)
    linear = uncentered_pearson(x - x.mean(), y - y.mean())
    is_positive = rank > 0 and linear > 0  # False for NaN
    return 2 * linear * rank / (linear + rank) if is_positive else 0.0


def table1_row(scores: "pd.DataFrame", human: float = math.nan) -> dict[str, float]:
    """Compute a dataset's figures of Table 1 in the task paper, and shares of significant pairs.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 15)
        As `aggregate_ratings` returns it.
    human : float
        Mean leave-one-out agreement of the annotators, the paper's column ρ; NaN if undefined.

    Returns
    -------
    dict
        pairs; human; mean (of all scores), sd (the mean of the standard deviations; NaN left
        out) and change (mean absolute change) in scale points; share_q and share_two_sided, the
        shares of pairs with q and with a two-sided p below 0.05; share_one_sided and
        share_one_sided_10, those with the published one-sided p below 0.05 and 0.1. Pairs with
        one context have only the first four.

    References
    ----------
    Armendariz et al. (2020), SemEval-2020 Task 3, Table 1, has all but share_q and
    share_two_sided.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"sim1": [1.0], "sim2": [4.0], "stdev1": [1.0], "stdev2": [2.0],
    ...     "change": [3.0], "pvalue": [0.04], "pvalue_two_sided": [0.08], "qvalue": [0.08]})
    >>> list(table1_row(scores, 0.77).values())
    [1, 0.77, 2.5, 1.5, 3.0, 0.0, 0.0, 1.0, 1.0]
    """
    sims, deviations = (
        scores[[name for name in (f"{figure}1", f"{figure}2") if name in scores]]
        for figure in ("sim", "stdev")
    )
    row = {
        "pairs": len(scores),
        "human": human,
        "mean": float(np.mean(sims.to_numpy())),
        "sd": float(mean_defined(deviations.to_numpy(dtype=float))),
    }
    if "change" not in scores:
        return row
    return row | {
        "change": float(scores["change"].abs().mean()),
        **{name: float((scores[test] < level).mean()) for name, (test, level) in SHARES.items()},
    }


def table1_text(row: dict[str, float]) -> dict[str, str]:
    """Format the figures as the paper does: two decimals, shares in whole per cent.

    >>> table1_text({"pairs": 111, "human": math.nan, "mean": 4.8958, "share_one_sided": 0.4595})
    {'pairs': '111', 'human': '–', 'mean': '4.90', 'share_one_sided': '46 %'}
    """
    return {name: _figure_text(name, figure) for name, figure in row.items()}


def _figure_text(name: str, figure: float) -> str:
    if name == "pairs":
        return str(figure)
    if name not in SHARES or math.isnan(figure):
        return write_figure(figure)
    return f"{write_figure(100 * figure, 0)} %"


def _matched(predicted: ArrayLike, gold: ArrayLike) -> tuple[Floats, ...]:
    x, y = np.asarray(predicted, dtype=float), np.asarray(gold, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or x.size == 0:
        raise ValueError(f"predicted and gold must be two equal columns, got {x.shape}, {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("predicted and gold must be finite numbers, got NaN or infinity")
    return scale_to_one(x), scale_to_one(y)


def scale_to_one(values: Floats) -> Floats:
    """Divide by a power of two, which is exact, so that no square overflows or vanishes.

    >>> scale_to_one(np.array([3e200, -1e200])).round(3).tolist()
    [0.98, -0.327]
    """
    exponent = int(np.frexp(np.abs(values).max())[1])
    return np.asarray(np.ldexp(values, -exponent))
