"""The pairs of a dataset as a table to search, sort and filter."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from postprocess.reporting.phrases import fold
from postprocess.statistics.means import mean_intervals
from postprocess.steps.recipe import RescalingSection

SHOWN = (
    "n1", "n2", "sim1", "sim2", "stdev1", "stdev2", "change", "pvalue", "pvalue_two_sided",
    "qvalue", "delta", "delta_low", "delta_high",
)  # fmt: skip


def tabulate_pairs(
    words: Sequence[tuple[str, str]],
    scores: pd.DataFrame,
    scale: RescalingSection,
    intervals: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return a row for each pair with its words, figures and intervals.

    Parameters
    ----------
    words : sequence of (str, str)
        The dictionary forms of each pair, in order.
    scores : DataFrame, shape (n_pairs, 15), index pair
        As `aggregate_numbers` returns it.
    scale : RescalingSection
        The ends of the scale of the scores.
    intervals : DataFrame, shape (n_pairs, 12), index pair, optional
        As `score_intervals` returns it; datasets of earlier versions do not have it.

    Returns
    -------
    DataFrame, shape (n_pairs, 26), index pair
        word1, word2, sought (both as `fold` returns them); the columns of `SHOWN`; low1, high1,
        low2, high2 (95 % intervals of the scores, without `intervals` those of `mean_intervals`;
        equal to the score if undefined); change_low, change_high (NaN if undefined); fewest (the
        smaller n), size (of the change), spread (the larger deviation, NaN if neither is
        defined) and note (see `Outcome.pairs`; "" without one). Of pairs with one context, what
        they have.
    """
    table = scores[[name for name in SHOWN if name in scores]].copy()
    table.insert(0, "word1", [first for first, _ in words])
    table.insert(1, "word2", [second for _, second in words])
    table.insert(2, "sought", [fold(" ".join(both)) for both in words])
    if intervals is None:
        intervals = _of_means(scores, scale) if "sim2" in scores else pd.DataFrame()
    for context in (1, 2) if "sim2" in scores else (1,):
        for end in ("low", "high"):
            score = scores[f"sim{context}"]
            table[f"{end}{context}"] = intervals.get(f"sim{context}_{end}", score).fillna(score)
    if "change" in scores:
        table = table.assign(
            change_low=intervals["change_low"],
            change_high=intervals["change_high"],
            size=table["change"].abs(),
        )
    return table.assign(
        fewest=table.filter(regex=r"^n\d").min(axis="columns"),
        spread=table.filter(regex=r"^stdev\d").max(axis="columns"),
        note=scores.get("note", ""),
    )


def _of_means(scores: pd.DataFrame, scale: RescalingSection) -> pd.DataFrame:
    """Return Student's intervals of the scores, and none of the changes."""
    columns: dict[str, object] = {"change_low": np.nan, "change_high": np.nan}
    for context in (1, 2):
        ends = mean_intervals(scores, context, scale.minimum, scale.maximum)
        columns |= {f"sim{context}_low": ends[:, 0], f"sim{context}_high": ends[:, 1]}
    return pd.DataFrame(columns, index=scores.index)
