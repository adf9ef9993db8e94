"""Agreement of two judges who sorted the same things into kinds."""

from collections.abc import Hashable, Sequence

import numpy as np

from postprocess.table.ratings import RatingsError


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Cohen's kappa: by how much two judges agree beyond what their habits alone would bring.

    Parameters
    ----------
    first, second : sequence, shape (n_things,)
        The kind that each judge gave to each thing, in the same order.

    Returns
    -------
    float
        1 for full agreement, 0 for as much as by chance. NaN if there is nothing, or if both
        judges gave one and the same kind to everything.

    Raises
    ------
    RatingsError
        The two have not judged equally many things.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales.

    Examples
    --------
    >>> round(cohen_kappa(["good", "good", "bad", "bad"], ["good", "good", "bad", "good"]), 6)
    0.5
    """
    if len(first) != len(second):
        raise RatingsError(f"two judges of {len(first)} and of {len(second)} things: not the same")
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys([*first, *second]))}
    table = np.zeros((len(kinds), len(kinds)))
    for one, two in zip(first, second, strict=True):
        table[kinds[one], kinds[two]] += 1
    if len(kinds) < 2:
        return float("nan")
    shares = table / table.sum()
    expected = float(shares.sum(axis=1) @ shares.sum(axis=0))
    return (float(np.trace(shares)) - expected) / (1 - expected)
