"""Filtering: annotators who agree too little with their group are left out."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.reporting.phrases import write_figure
from postprocess.statistics.agreement.annotators import average_agreement
from postprocess.table.numbering import Numbers, number_ratings, take_texts
from postprocess.table.ratings import with_groups

DECIMALS = 9  # an average nearer to its bound than this is at the bound, against float noise
KEPT, LEFT_OUT = "kept", "left out"
LOW, LOWEST, GAIN = "below the correlation bound", "below the minimum rho", "gain in agreement"
CONSTANT = "constant ratings"
UNDEFINED_CONSTANT = "agreement undefined: constant ratings"
UNDEFINED_FEW = "agreement undefined: too few common contexts"
REASONS = (UNDEFINED_FEW, CONSTANT, UNDEFINED_CONSTANT, LOW, LOWEST, GAIN, "")  # first that holds
KEEPING = {"", UNDEFINED_CONSTANT, UNDEFINED_FEW}  # those with which someone is kept


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
    """Leave out annotators whose average agreement with their group is low.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it. Without a column group, groups are found. An annotator
        is judged in each group by itself.
    k : float
        Left out is who lies more than k sample standard deviations of the group's averages
        below their mean; exactly at the bound stays. One pass.
    minimum_rho : float, optional
        Left out is also whose average is below this.
    gain_share : float, optional
        Left out is also who is among this share of the group's annotators (rounded down)
        whose leaving would raise the group's mean pairwise rho most, if it would raise it;
        of equals, none that would make it more than the share.

    Returns
    -------
    Filtering
        `ratings`: the kept rows in their order with a column group and a fresh index.
        `annotators`, sorted by group and annotator: group, annotator, n_ratings, rho (mean
        Spearman with each other annotator of the group; NaN if undefined with all of them),
        bound (the group's; NaN with fewer than two defined averages), gain (how much the
        group's mean pairwise rho rises without this annotator; NaN if undefined), decision
        ("kept" or "left out") and reason ("" for the unremarkable). Someone without a defined
        average is left out only for constant ratings on items that others told apart, that is
        if at least two others of the group have a defined average.

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
    numbers = number_ratings(ratings)
    figures = judge_annotators(numbers, k=k, minimum_rho=minimum_rho, gain_share=gain_share)
    annotators = numbers.sittings.table().join(figures)
    is_kept = (annotators["decision"] == KEPT).to_numpy()[numbers.sitting][numbers.cell]
    return Filtering(ratings[is_kept].reset_index(drop=True), annotators)


def judge_annotators(
    numbers: Numbers, *, k: float, minimum_rho: float | None, gain_share: float | None
) -> pd.DataFrame:
    """The annotators of `filter_annotators`, for ratings that have been numbered, without names."""
    group = pd.Series(numbers.sittings.group)
    found = average_agreement(numbers)
    by_group = found["rho"].groupby(group)
    figures = pd.DataFrame(
        {
            "n_ratings": numbers.per_sitting(numbers.n).astype(np.int64),
            "rho": found["rho"],
            "bound": by_group.transform("mean") - k * by_group.transform("std"),
            "gain": found["gain"],
        }
    )
    reason = _find_reasons(
        figures.join(found[["has_common", "is_constant"]]),
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
    """Each decision in words with its figures; takes `Filtering.annotators` or rows of it."""
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
    """Why each annotator is left out, or what is odd, as a place in `REASONS`: the first there."""
    rho = figures["rho"]
    n_defined = rho.groupby(group).transform("count")
    lowest = -np.inf if minimum_rho is None else minimum_rho
    kinds = [
        rho.isna() & ~figures["has_common"],
        rho.isna() & figures["is_constant"] & (n_defined >= 2),
        rho.isna(),
        (rho - figures["bound"]).round(DECIMALS) < 0,
        (rho - lowest).round(DECIMALS) < 0,
        _is_of_the_most(figures["gain"], group, gain_share),
    ]
    return np.select(kinds, range(len(kinds)), default=len(kinds))


def _is_of_the_most(gains: pd.Series, group: pd.Series, share: float | None) -> pd.Series:
    """Whether someone's gain is positive and among the group's largest, a share of all."""
    if share is None:
        return pd.Series(data=False, index=gains.index)
    gain = gains.round(DECIMALS)
    of_group = gain.groupby(group)
    n_allowed = np.floor(share * of_group.transform("size") + 10.0**-DECIMALS)
    is_of_them: pd.Series = of_group.rank(method="max", ascending=False) <= n_allowed
    return (gain > 0) & is_of_them
