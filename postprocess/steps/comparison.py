"""Comparison of the results of two recipes for the same ratings."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.formats.files import format_number
from postprocess.steps.exclusion import COUNTED
from postprocess.steps.post_process import Outcome
from postprocess.table.ratings import RatingsError

PUBLISHED = ("sim1", "sim2", "change", "pvalue")
TESTS = {  # column of the scores → the figure in words
    "qvalue": "q",
    "pvalue_two_sided": "two-sided p",
    "pvalue": "published one-sided p",
}
FIGURES = (*PUBLISHED, "pvalue_two_sided", "qvalue")
KEYS = ["group", "annotator"]
SIGNIFICANT = 0.05


class Comparison(NamedTuple):
    """Two outcomes of the same ratings.

    `scores`, a row for each pair: sim1, sim2, change, pvalue, pvalue_two_sided and qvalue (with one
    context, sim1 alone) of both, their difference (second less first) and written_differs (whether
    a published figure is written differently), and note_first, note_second if there are notes.
    `annotators`, a row for each annotator of each group: shift, decision and reason of both,
    and differs. `summary`: figure, in words → value.
    """

    scores: pd.DataFrame
    annotators: pd.DataFrame
    summary: dict[str, float]


def compare_outcomes(first: Outcome, second: Outcome) -> Comparison:
    """Compare the results of two recipes for the same ratings.

    Parameters
    ----------
    first, second : Outcome
        Of the same ratings table.

    Returns
    -------
    Comparison

    Raises
    ------
    RatingsError
        Not the same ratings.
    """
    given = ["pair", "context", "annotator", "rating"]
    if not first.ledger[given].equals(second.ledger[given]):
        raise RatingsError("the two outcomes are not of the same ratings")
    scores = pd.DataFrame(index=first.pairs.index)
    for figure in (name for name in FIGURES if name in first.pairs):
        scores[f"{figure}_first"] = first.pairs[figure]
        scores[f"{figure}_second"] = second.pairs[figure]
        scores[f"{figure}_difference"] = second.pairs[figure] - first.pairs[figure]
    scores["written_differs"] = np.logical_or.reduce(
        [
            _is_written_differently(first.pairs[f], second.pairs[f])
            for f in PUBLISHED
            if f in first.pairs
        ]
    )
    for side, outcome in (("first", first), ("second", second)):
        if "note" in outcome.pairs:
            scores[f"note_{side}"] = outcome.pairs["note"]
    annotators = _compare_annotators(first, second)
    return Comparison(scores, annotators, _summarise(scores, annotators, first, second))


def crosses_level(scores: pd.DataFrame, test: str) -> "pd.Series[bool]":
    """Return whether each pair has one figure of a test below 0.05 and the other not.

    `scores` are those of a `Comparison`, `test` is one of `TESTS`. False without one of the two.
    """
    first, second = scores[f"{test}_first"], scores[f"{test}_second"]
    is_known = first.notna() & second.notna()
    return is_known & ((first < SIGNIFICANT) != (second < SIGNIFICANT))


def _is_written_differently(
    first: pd.Series, second: pd.Series
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return where two figures have different decimals; only unequal figures are formatted."""
    one, two = first.to_numpy(dtype=float), second.to_numpy(dtype=float)
    differs = np.asarray(~((one == two) | (np.isnan(one) & np.isnan(two))), dtype=bool)
    differs[differs] = [
        format_number(a) != format_number(b)
        for a, b in zip(one[differs].tolist(), two[differs].tolist(), strict=True)
    ]
    return differs


def _compare_annotators(first: Outcome, second: Outcome) -> pd.DataFrame:
    columns = [*KEYS, "shift", "decision", "reason"]
    both = first.annotators[columns].merge(
        second.annotators[columns], on=KEYS, how="outer", suffixes=("_first", "_second")
    )
    same = [
        (both[f"{column}_first"] == both[f"{column}_second"])
        | (both[f"{column}_first"].isna() & both[f"{column}_second"].isna())
        for column in columns[2:]
    ]
    return both.assign(differs=~np.logical_and.reduce(same))


def _summarise_changes(scores: pd.DataFrame) -> dict[str, float]:
    """Summarise the changes of pairs with two contexts."""
    if "change_first" not in scores:
        return {}
    changes_sign = scores["change_first"] * scores["change_second"] < 0
    return {
        "pairs whose change turns its sign": int(changes_sign.sum()),
        **{
            f"pairs on the other side of {name} = 0.05": int(crosses_level(scores, test).sum())
            for test, name in TESTS.items()
        },
    }


def _summarise(
    scores: pd.DataFrame, annotators: pd.DataFrame, first: Outcome, second: Outcome
) -> dict[str, float]:
    moves = [f"sim{number}_difference" for number in range(1, first.n_contexts + 1)]
    sims = scores[moves].abs().to_numpy()
    last = "change" if first.n_contexts == 2 else "sim1"
    n_lost = int((scores[f"{last}_first"].isna() != scores[f"{last}_second"].isna()).sum())
    return {
        "pairs with different scores": int(scores["written_differs"].sum()),
        "largest difference of a score": float(np.nanmax(sims)),
        "mean absolute difference of scores": float(np.nanmean(sims)),
        **({"pairs with scores in one of the two alone": n_lost} if n_lost else {}),
        **_summarise_changes(scores),
        "annotators treated differently": int(annotators["differs"].sum()),
        "ratings used by the first": int((first.ledger["reason"] == COUNTED).sum()),
        "ratings used by the second": int((second.ledger["reason"] == COUNTED).sum()),
    }
