"""Filtering: leave out annotators who agree too little with their group."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.reporting.phrases import write_figure
from postprocess.statistics.agreement.annotators import average_agreement
from postprocess.table.numbering import Numbers, take_texts
from postprocess.table.ratings import number_groups

DECIMALS = 9  # averages that differ by less from their bound are at it: rounding errors
KEPT, LEFT_OUT = "kept", "left out"
LOW, LOWEST, GAIN = "below the correlation bound", "below the minimum rho", "gain in agreement"
CONSTANT = "constant ratings"
UNDEFINED_CONSTANT = "agreement undefined: constant ratings"
UNDEFINED_FEW = "agreement undefined: too few common contexts"
REASONS = (UNDEFINED_FEW, CONSTANT, UNDEFINED_CONSTANT, LOW, LOWEST, GAIN, "")  # first match
KEEPING = {"", UNDEFINED_CONSTANT, UNDEFINED_FEW}  # reasons that do not exclude


class Filtering(NamedTuple):
    """The ratings that were kept, and a row for each annotator of each group."""

    ratings: pd.DataFrame
    annotators: pd.DataFrame


def filter_annotators(
    ratings: pd.DataFrame,
    *,
    k: float = 1.0,
    minimum_rho: float | None = None,
    gain_share: float | None = None,
) -> Filtering:
    """Filter the annotators of a ratings table; `judge_annotators` for a data frame.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, without NaN. Without a column group, groups are found.
    k, minimum_rho, gain_share
        As in `judge_annotators`.

    Returns
    -------
    Filtering
        `ratings`: the kept rows in their order with a column group and a fresh index.
        `annotators`, sorted by group and annotator: group, annotator and the columns of
        `judge_annotators`.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "pair": [1, 2, 3] * 4, "context": 1, "annotator": list("AAABBBCCCDDD"),
    ...     "rating": [0, 3, 6, 0, 3, 6, 1, 3, 5, 6, 3, 0], "group": "1"})
    >>> filter_annotators(ratings).annotators["decision"].tolist()
    ['kept', 'kept', 'kept', 'left out']
    """
    ratings, numbers = number_groups(ratings)
    figures = judge_annotators(numbers, k=k, minimum_rho=minimum_rho, gain_share=gain_share)
    is_kept = (figures["decision"] == KEPT).to_numpy()[numbers.member[numbers.cell]]
    kept = ratings[is_kept].reset_index(drop=True)
    return Filtering(kept, numbers.members.table().join(figures))


def judge_annotators(
    numbers: Numbers, *, k: float, minimum_rho: float | None, gain_share: float | None
) -> pd.DataFrame:
    """Decide which annotators to leave out because they agree too little with their group.

    Parameters
    ----------
    numbers : Numbers
        The ratings in any unit, without NaN; members may have no ratings. An annotator of
        several groups is judged in each separately.
    k : float
        Leave out an annotator whose average agreement is more than k sample standard deviations
        below the mean of the group's averages; at the bound they are kept. One pass.
    minimum_rho : float or None
        Leave out an annotator whose average agreement is below this.
    gain_share : float or None
        Leave out the annotators without whom the group's mean pairwise rho would rise most, up
        to this share of the group (rounded down) and only if it would rise. Annotators with
        equal gains are left out together, or not at all if they would exceed the share.

    Returns
    -------
    DataFrame, shape (n_members, 6)
        n_ratings, rho (mean Spearman correlation with each other annotator of the group; NaN if
        all are undefined), bound (of the group; NaN with fewer than two defined averages), gain
        (by how much the group's mean pairwise rho rises without the annotator; NaN if
        undefined), decision ("kept" or "left out") and reason (one of `REASONS`; "" for an
        annotator who is kept and whose rho is defined). An annotator without a defined average
        is left out only for constant ratings on items to which others gave different ratings,
        that is, if at least two others of the group have a defined average.

    References
    ----------
    Hill et al. (2015), SimLex-999, section 3.
    """
    group = pd.Series(numbers.members.group)
    agreement = average_agreement(numbers)
    by_group = agreement["rho"].groupby(group)
    figures = pd.DataFrame(
        {
            "n_ratings": numbers.per_member(numbers.n).astype(np.int64),
            "rho": agreement["rho"],
            "bound": by_group.transform("mean") - k * by_group.transform("std"),
            "gain": agreement["gain"],
        }
    )
    reason = _find_reasons(
        figures.join(agreement[["has_common", "is_constant"]]),
        group,
        minimum_rho=minimum_rho,
        gain_share=gain_share,
    )
    is_kept = np.array([name in KEEPING for name in REASONS])[reason]
    return figures.assign(
        decision=take_texts([LEFT_OUT, KEPT], is_kept.astype(np.int64)),
        reason=take_texts(REASONS, reason),
    )


def explain(annotators: pd.DataFrame) -> list[str]:
    """Return each decision in words with its figures, for rows of `Filtering.annotators`."""
    rows = zip(*(annotators[name] for name in ("reason", "rho", "bound", "gain")), strict=True)
    return [_explain(str(reason), rho, bound, gain) for reason, rho, bound, gain in rows]


def _explain(reason: str, rho: float, bound: float, gain: float) -> str:
    if reason == LOW:
        return (
            f"mean rho {write_figure(rho, 3)} is below the group's bound {write_figure(bound, 3)}"
        )
    if reason == LOWEST:
        return f"mean rho {write_figure(rho, 3)} is below the minimum"
    if reason == GAIN:
        return f"without them the group's mean rho rises by {write_figure(gain, 3)}"
    return reason


def _find_reasons(
    figures: pd.DataFrame,
    group: pd.Series,
    *,
    minimum_rho: float | None,
    gain_share: float | None,
) -> NDArray[np.int64]:
    """Return the position in `REASONS` of the first reason that applies to each annotator."""
    rho = figures["rho"]
    n_defined = rho.groupby(group).transform("count")
    lowest = -np.inf if minimum_rho is None else minimum_rho
    kinds = [
        rho.isna() & ~figures["has_common"],
        rho.isna() & figures["is_constant"] & (n_defined >= 2),
        rho.isna(),
        (rho - figures["bound"]).round(DECIMALS) < 0,
        (rho - lowest).round(DECIMALS) < 0,
        _is_top_gain(figures["gain"], group, gain_share),
    ]
    return np.select(kinds, range(len(kinds)), default=len(kinds))


def _is_top_gain(gains: pd.Series, group: pd.Series, share: float | None) -> pd.Series:
    """Return whether each gain is positive and in the given top share of the group's gains."""
    if share is None:
        return pd.Series(data=False, index=gains.index)
    gain = gains.round(DECIMALS)
    of_group = gain.groupby(group)
    n_allowed = np.floor(share * of_group.transform("size") + 10.0**-DECIMALS)
    is_top: pd.Series = of_group.rank(method="max", ascending=False) <= n_allowed
    return (gain > 0) & is_top
