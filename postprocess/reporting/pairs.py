"""The pairs of a dataset as a table to search, sort and filter."""

import unicodedata
from collections.abc import Sequence

import pandas as pd

from postprocess.statistics.means import mean_intervals

SHOWN = (
    "n1", "n2", "sim1", "sim2", "stdev1", "stdev2", "change", "pvalue", "pvalue_two_sided",
    "qvalue", "delta", "delta_low", "delta_high",
)  # fmt: skip


def tabulate_pairs(
    words: Sequence[tuple[str, str]], scores: pd.DataFrame, low: float, high: float
) -> pd.DataFrame:
    """Return a row for each pair with its words, figures and intervals.

    Parameters
    ----------
    words : sequence of (str, str)
        The dictionary forms of each pair, in order.
    scores : DataFrame, shape (n_pairs, 15), index pair
        As `aggregate_numbers` returns it.
    low, high : float
        The ends of the scale of the scores.

    Returns
    -------
    DataFrame, shape (n_pairs, 23), index pair
        word1, word2, sought (both as `fold` returns them); the columns of `SHOWN`; low1, high1,
        low2, high2 (95 % intervals of the scores, see `mean_intervals`, equal to the score of a
        single rating); fewest (the smaller n), size (of the change) and spread (the larger
        deviation, NaN if neither is defined).
    """
    table = scores[list(SHOWN)].copy()
    table.insert(0, "word1", [first for first, _ in words])
    table.insert(1, "word2", [second for _, second in words])
    table.insert(2, "sought", [fold(" ".join(both)) for both in words])
    for context in (1, 2):
        ends = pd.DataFrame(mean_intervals(scores, context, low, high), index=scores.index)
        for column, name in enumerate(("low", "high")):
            table[f"{name}{context}"] = ends[column].fillna(scores[f"sim{context}"])
    return table.assign(
        fewest=table[["n1", "n2"]].min(axis="columns"),
        size=table["change"].abs(),
        spread=table[["stdev1", "stdev2"]].max(axis="columns"),
    )


def fold(text: str) -> str:
    """Return a text without case and accents, so that "zena" finds "Žena".

    >>> fold("Žena"), fold("STRASSE") == fold("straße")
    ('zena', True)
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))
