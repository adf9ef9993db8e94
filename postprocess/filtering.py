"""Filtering: annotators who agree too little with their group are left out."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.agreement import FEWEST_COMMON, pairwise_agreement
from postprocess.ratings import items_table, with_groups

DECIMALS = 9  # an average nearer to its bound than this is at the bound, against float noise
KEPT, LEFT_OUT = "kept", "left out"
CONSTANT = "constant ratings"
UNDEFINED_CONSTANT = "agreement undefined: constant ratings"
UNDEFINED_FEW = "agreement undefined: too few common contexts"


class Filtering(NamedTuple):
    """The ratings that were kept, and a row for each annotator of each group."""

    ratings: pd.DataFrame
    annotators: pd.DataFrame


def filter_annotators(
    ratings: pd.DataFrame, *, k: float = 1.0, minimum_rho: float | None = None
) -> Filtering:
    """Leave out annotators whose average agreement with their group is low.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or 5)
        As `check_ratings` returns it. Without a column group, groups are found. An annotator
        is judged in each group by itself.
    k : float
        Left out is who lies more than k sample standard deviations of the group's averages
        below their mean; exactly at the bound stays. One pass.
    minimum_rho : float, optional
        Left out is also whose average is below this.

    Returns
    -------
    Filtering
        `ratings`: the kept rows in their order with a column group and a fresh index.
        `annotators`, sorted by group and annotator: group, annotator, n_ratings, rho (mean
        Spearman with each other annotator of the group; NaN if undefined with all of them),
        bound (the group's; NaN with fewer than two defined averages), decision ("kept" or
        "left out") and reason ("" for the unremarkable). Someone without a defined average is
        left out only for constant ratings on items that others told apart, that is if at
        least two others of the group have a defined average.

    References
    ----------
    Hill et al. (2015), SimLex-999, section 3.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "pair": [1, 2, 3] * 4, "context": 1, "annotator": list("AAABBBCCCDDD"),
    ...     "rating": [0, 3, 6, 0, 3, 6, 1, 3, 5, 6, 3, 0], "group": "1"})
    >>> filter_annotators(ratings).annotators["decision"].tolist()
    ['kept', 'kept', 'kept', 'left out']
    """
    ratings = with_groups(ratings)
    groups = [
        _judge_group(str(group), items_table(rows), k=k, minimum_rho=minimum_rho)
        for group, rows in ratings.groupby("group")
    ]
    annotators = pd.concat(groups, ignore_index=True)
    keys = ["group", "annotator"]
    decision = ratings[keys].merge(annotators[[*keys, "decision"]], how="left", on=keys)["decision"]
    kept = ratings[(decision == KEPT).to_numpy()].reset_index(drop=True)
    return Filtering(kept, annotators)


def _judge_group(
    group: str, table: pd.DataFrame, *, k: float, minimum_rho: float | None
) -> pd.DataFrame:
    averages = _average_agreement(table)
    bound = float(averages.mean() - k * averages.std(ddof=1))
    verdicts = [
        _judge_undefined(table, annotator, n_defined=int(averages.count()))
        if np.isnan(rho)
        else _judge_defined(rho, bound=bound, minimum_rho=minimum_rho)
        for annotator, rho in averages.items()
    ]
    return pd.DataFrame(
        {
            "group": group,
            "annotator": table.columns,
            "n_ratings": table.notna().sum().to_numpy(),
            "rho": averages.to_numpy(),
            "bound": bound,
            "decision": [decision for decision, _ in verdicts],
            "reason": [reason for _, reason in verdicts],
        }
    )


def _average_agreement(table: pd.DataFrame) -> pd.Series:
    """Each annotator's mean rho with the others, NaN if there is none."""
    if table.shape[1] < 2:
        return pd.Series(np.nan, index=table.columns)
    return pairwise_agreement(table).mean(axis="columns")


def _judge_defined(rho: float, *, bound: float, minimum_rho: float | None) -> tuple[str, str]:
    if round(rho - bound, DECIMALS) < 0:
        return LEFT_OUT, f"mean rho {rho:.3f} is below the group's bound {bound:.3f}"
    if minimum_rho is not None and round(rho - minimum_rho, DECIMALS) < 0:
        return LEFT_OUT, f"mean rho {rho:.3f} is below the minimum {minimum_rho:g}"
    return KEPT, ""


def _judge_undefined(
    table: pd.DataFrame, annotator: Hashable, *, n_defined: int
) -> tuple[str, str]:
    rated = table[table[annotator].notna()]
    n_common = rated.drop(columns=annotator).notna().sum()
    if not (n_common >= FEWEST_COMMON).any():
        return KEPT, UNDEFINED_FEW
    if rated[annotator].nunique() == 1 and n_defined >= 2:
        return LEFT_OUT, CONSTANT
    return KEPT, UNDEFINED_CONSTANT
