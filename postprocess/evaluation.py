"""Evaluation: the task metrics, and a dataset's row of Table 1 in the task paper."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from postprocess.agreement import spearman


def uncentered_pearson(predicted: ArrayLike, gold: ArrayLike) -> float:
    """Subtask 1: how well predicted changes follow the gold ones, in sign and in size.

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
        Different lengths, none at all, or a NaN.

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
    """Subtask 2: the harmonic mean of Pearson's and Spearman's correlation.

    Parameters
    ----------
    predicted, gold : array_like, shape (2 * n_pairs,)
        Similarity scores of all contexts, each in its own unit, without NaN.

    Returns
    -------
    float
        From -1 to 1; 0 if one of the two correlations is. NaN if they have different signs,
        for which a harmonic mean has no sense, if either side is constant, or under 3 scores.

    Raises
    ------
    ValueError
        Different lengths, none at all, or a NaN.

    References
    ----------
    Armendariz et al. (2020), SemEval-2020 Task 3.

    Examples
    --------
    >>> round(harmonic_correlation([0, 1, 2, 6], [0, 2, 1, 6]), 4)
    0.8693
    """
    x, y = _matched(predicted, gold)
    rank = spearman(x, y)
    linear = uncentered_pearson(x - x.mean(), y - y.mean())
    if np.isnan(rank) or np.isnan(linear) or rank * linear < 0:
        return float("nan")
    return 2 * linear * rank / (linear + rank) if linear * rank > 0 else 0.0


def table1_row(scores: pd.DataFrame) -> dict[str, float]:
    """The figures of a dataset in Table 1 of the task paper.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 8)
        As `aggregate_ratings` returns it.

    Returns
    -------
    dict
        pairs; mean (of all scores), sd (the mean of the standard deviations; NaN left out) and
        change (mean absolute change) in scale points; below_0.1 and below_0.05, the shares of
        pairs with p below these.

    References
    ----------
    Armendariz et al. (2020), SemEval-2020 Task 3, Table 1.

    Examples
    --------
    >>> scores = pd.DataFrame({"sim1": [1.0], "sim2": [4.0], "stdev1": [1.0], "stdev2": [2.0],
    ...                        "change": [3.0], "pvalue": [0.07]})
    >>> list(table1_row(scores).values())
    [1, 2.5, 1.5, 3.0, 1.0, 0.0]
    """
    return {
        "pairs": len(scores),
        "mean": float(np.mean(scores[["sim1", "sim2"]].to_numpy())),
        "sd": _mean_defined(scores[["stdev1", "stdev2"]].to_numpy(dtype=float)),
        "change": float(scores["change"].abs().mean()),
        "below_0.1": float((scores["pvalue"] < 0.1).mean()),
        "below_0.05": float((scores["pvalue"] < 0.05).mean()),
    }


def table1_text(row: dict[str, float]) -> dict[str, str]:
    """The figures as the paper prints them: two decimals, shares in whole per cent.

    >>> table1_text({"pairs": 111, "mean": 4.8958, "below_0.1": 0.5856})
    {'pairs': '111', 'mean': '4.90', 'below_0.1': '59 %'}
    """
    return {name: _figure_text(name, figure) for name, figure in row.items()}


def _figure_text(name: str, figure: float) -> str:
    if np.isnan(figure):
        return ""
    if name == "pairs":
        return str(figure)
    share = name.startswith("below_")
    exact = Decimal(f"{100 * figure if share else figure:.9f}")
    rounded = exact.quantize(Decimal(1 if share else "0.01"), ROUND_HALF_UP)
    return f"{rounded} %" if share else str(rounded)


def _mean_defined(values: NDArray[np.float64]) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else float("nan")


def _matched(predicted: ArrayLike, gold: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    x, y = np.asarray(predicted, dtype=float), np.asarray(gold, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or x.size == 0:
        raise ValueError(f"predicted and gold must be two equal columns, got {x.shape}, {y.shape}")
    if np.isnan(x).any() or np.isnan(y).any():
        raise ValueError("predicted and gold must be numbers throughout, got NaN")
    return x, y
