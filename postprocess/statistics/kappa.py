"""Agreement of two judges on nominal categories."""

from collections.abc import Hashable, Sequence

import numpy as np

from postprocess.table.ratings import RatingsError


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Compute Cohen's kappa: the agreement of two judges corrected for chance.

    Parameters
    ----------
    first, second : sequence, shape (n_items,)
        The category that each judge assigned to each item, in the same order.

    Returns
    -------
    float
        1 for full agreement, 0 for agreement by chance. NaN if there are no items, or if both
        judges assigned the same category to all.

    Raises
    ------
    RatingsError
        The judges have not judged equally many items.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales.

    Examples
    --------
    >>> round(cohen_kappa(["good", "good", "bad", "bad"], ["good", "good", "bad", "good"]), 6)
    0.5
    """
    if len(first) != len(second):
        raise RatingsError(f"two judges of {len(first)} and of {len(second)} items: not the same")
    categories = {
        category: number for number, category in enumerate(dict.fromkeys([*first, *second]))
    }
    table = np.zeros((len(categories), len(categories)))
    for one, two in zip(first, second, strict=True):
        table[categories[one], categories[two]] += 1
    if len(categories) < 2:
        return float("nan")
    shares = table / table.sum()
    expected = float(shares.sum(axis=1) @ shares.sum(axis=0))
    return (float(np.trace(shares)) - expected) / (1 - expected)
