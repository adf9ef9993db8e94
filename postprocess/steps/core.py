"""The statistics of post-processing: from ratings to figures for annotators and pairs.

docs/postprocessing.md has the formulas and sources; `counts` defines members, items and cells.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.agreement.measures import sum_pairs
from postprocess.statistics.change import (
    add_from_lowest,
    add_up,
    change_tests,
    cliffs_delta,
    false_discovery_rates,
    two_sided_pvalues,
)
from postprocess.statistics.correlations import FEWEST_COMMON, ratio
from postprocess.table.counts import Ratings, count_points, refuse_unrated
from postprocess.table.parallel import Progress, map_parts
from postprocess.table.scale import Scale
from postprocess.types import Centre, Codes, Counts, Floats, Integers, NContexts

DECIMALS = 9  # differences below this are rounding errors
CELLS_AT_ONCE = 1 << 18  # contexts × points: 2 MB
KEPT, LEFT_OUT = "kept", "left out"
LOW, LOWEST, GAIN = "below the correlation bound", "below the minimum rho", "gain in agreement"
CONSTANT = "constant ratings"
UNDEFINED_CONSTANT = "agreement undefined: constant ratings"
UNDEFINED_FEW = "agreement undefined: too few common contexts"
REASONS = (UNDEFINED_FEW, CONSTANT, UNDEFINED_CONSTANT, LOW, LOWEST, GAIN, "")  # first match
KEEPING = {"", UNDEFINED_CONSTANT, UNDEFINED_FEW}  # reasons that do not exclude


def calibrate(
    ratings: Ratings, scale: Scale, *, threshold: float, step: float
) -> tuple[Ratings, pd.DataFrame]:
    """Shift the members whose mean is further from the group's mean than a threshold.

    Also returns the figures of `calibrate_ratings` for each member.
    """
    n, points = ratings.n, ratings.points
    mean = ratio((n * points).sum(axis=1), n.sum(axis=1))
    has_rated = ~np.isnan(mean)
    total, n_raters = ratings.of_group(np.where(has_rated, mean, 0)), ratings.of_group(has_rated)
    group_mean = np.where(has_rated, total / np.maximum(n_raters, 1), np.nan)
    deviation = (mean - group_mean).round(DECIMALS)
    shift = np.select([deviation > threshold, deviation < -threshold], [-step, step], default=0.0)
    is_shifted = (shift != 0)[:, None]
    target = (points + shift[:, None]).round(DECIMALS)
    moved = np.where(is_shifted, target.clip(scale.minimum, scale.maximum), points)
    n_clipped = (n * (is_shifted & (moved != target))).sum(axis=1)
    figures = {"mean": mean, "group_mean": group_mean, "deviation": deviation, "shift": shift}
    return ratings._replace(points=moved), pd.DataFrame(figures | {"n_clipped": n_clipped})


def compare_members(ratings: Ratings) -> pd.DataFrame:
    """Compute the mean Spearman correlation of each member with the others of the group.

    Returns rho (NaN if no correlation is defined), has_common (another member shares three items
    or more), is_constant (all ratings are equal) and gain: the mean pairwise rho of the group
    without the member less that with them. In a group whose members all rated all of its items,
    the sum of the correlations of a member is z · Z − 1, where z are the member's ranks, centred
    and of length 1, and Z is the sum of all z. In other groups, pairs of members are compared on
    the items both rated.
    """
    place, n_items = ratings.number_places()
    n_given = ratings.n.sum(axis=1)
    is_whole = ratings.of_group(n_given) == n_items * ratings.of_group(n_given > 0)
    sums = _sum_whole(ratings, place)
    members = np.flatnonzero(~is_whole & (n_given > 0))
    for stack in stack_groups(ratings.as_table(~is_whole)):
        for name, figures in sum_pairs(stack.tables).items():
            sums.loc[members[stack.annotators.ravel()], name] = figures.ravel()
    rho, n_rho = sums["rho"].to_numpy(), sums["n_rho"].to_numpy()
    total, n_total = ratings.of_group(rho), ratings.of_group(n_rho)
    gain = np.subtract(ratio(total - 2 * rho, n_total - 2 * n_rho), ratio(total, n_total))
    return sums.assign(rho=np.clip(ratio(rho, n_rho), -1, 1), gain=gain)


def _sum_whole(ratings: Ratings, place: Codes) -> pd.DataFrame:
    """Sum the correlations of each member; the sums are valid in groups without gaps."""
    n_items = ratings.n.sum(axis=1)
    z = _centre_ranks(ratings).ravel()[ratings.cell]
    products = z * np.bincount(place, weights=z)[place]
    with_self = np.bincount(ratings.member, weights=products, minlength=len(n_items))
    has_rated = ratings.n > 0
    highest = np.where(has_rated, ratings.points, -np.inf).max(axis=1)
    lowest = np.where(has_rated, ratings.points, np.inf).min(axis=1)
    is_defined = (lowest < highest) & (n_items >= FEWEST_COMMON)
    n_rho = np.where(is_defined, ratings.of_group(is_defined) - 1, 0)
    sums = {
        "rho": np.where(n_rho > 0, with_self - 1, 0),
        "n_rho": n_rho,
        "has_common": (n_items >= FEWEST_COMMON) & (ratings.of_group(n_items > 0) > 1),
        "is_constant": lowest == highest,
    }
    return pd.DataFrame(sums)


def _centre_ranks(ratings: Ratings) -> Floats:
    """Return a table of ranks within each member, ties by average rank, centred and of length 1."""
    n, points = ratings.n, ratings.points
    begins = np.ones(n.shape, dtype=bool)
    begins[:, 1:] = points[:, 1:] > points[:, :-1]  # calibration can make neighbours equal
    tie = np.cumsum(begins).reshape(n.shape) - 1
    n_tied = np.bincount(tie.ravel(), weights=n.ravel())
    before = (np.cumsum(n_tied) - n_tied)[tie]
    rank = before - before[:, :1] + (n_tied[tie] + 1) / 2
    centred = rank - (n.sum(axis=1, keepdims=True) + 1) / 2
    length = np.sqrt((n * centred**2).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(centred, length, out=np.zeros(n.shape), where=length > 0))


def judge(
    ratings: Ratings,
    *,
    k: float,
    minimum_rho: float | None,
    gain_share: float | None,
    constant_from: int | None,
) -> pd.DataFrame:
    """Decide which members agree too little with their group.

    Returns the figures of `filter_annotators` for each member.
    """
    agreement = compare_members(ratings)
    rho, gain = agreement["rho"], agreement["gain"]
    of_group = rho.groupby(ratings.group)
    bound = of_group.transform("mean") - k * of_group.transform("std")
    lowest = -np.inf if minimum_rho is None else minimum_rho
    n_ratings = ratings.n.sum(axis=1)
    is_long = agreement["is_constant"] & (n_ratings >= (constant_from or np.inf))
    is_odd = agreement["is_constant"] & (of_group.transform("count") >= 2)
    kinds = [
        rho.isna() & ~agreement["has_common"] & ~is_long,
        rho.isna() & (is_long | is_odd),
        rho.isna(),
        (rho - bound).round(DECIMALS) < 0,
        (rho - lowest).round(DECIMALS) < 0,
        _is_top_gain(gain, ratings.group, gain_share),
    ]
    reason = np.select(kinds, range(len(kinds)), default=len(kinds))
    is_kept = np.array([name in KEEPING for name in REASONS])[reason]
    return pd.DataFrame(
        {
            "n_ratings": n_ratings,
            "rho": rho,
            "bound": bound,
            "gain": gain,
            "decision": take_texts([LEFT_OUT, KEPT], is_kept.astype(np.int64)),
            "reason": take_texts(REASONS, reason),
        }
    )


def _is_top_gain(gains: pd.Series, group: Codes, share: float | None) -> pd.Series:
    """Return whether each gain is positive and in the given top share of the group's gains."""
    if share is None:
        return pd.Series(data=False, index=gains.index)
    gain = gains.round(DECIMALS)
    of_group = gain.groupby(group)
    n_allowed = np.floor(share * of_group.transform("size") + 10.0**-DECIMALS)
    is_top: pd.Series = of_group.rank(method="max", ascending=False) <= n_allowed
    return (gain > 0) & is_top


def rescale(points: Floats, source: Scale, target: Scale) -> Floats:
    """Map points of any shape linearly from one scale to another; NaN stays NaN."""
    span = target.maximum - target.minimum
    return (points - source.minimum) * span / (source.maximum - source.minimum) + target.minimum


def score(
    item: Integers,
    cell: Integers,
    points: Floats,
    n_pairs: int,
    *,
    n_contexts: NContexts = 2,
    centre: Centre = "mean",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Compute the figures of `aggregate_ratings` for each pair.

    `item` and `cell` are as in `Ratings`, sorted by item; `points` has the rating of each cell,
    NaN if it is left out. A context without ratings has no figures but n, nor has the change of
    its pair. With one context a pair, there are no figures of change. The score (sim) is the
    centre: the mean, followed by the median; the median, followed by the mean; or the rating with
    most votes (NaN for a tie), followed by its share of the votes, without a deviation. Raises
    RatingsError if all contexts are without ratings.
    """
    code, values = pd.factorize(points.ravel(), sort=True)
    if not len(values):
        refuse_unrated(np.zeros(n_contexts * n_pairs, dtype=np.int64), n_contexts)
    n_points = len(values) + 1  # one for the ratings that are left out
    code = np.where(code < 0, len(values), code).astype(np.int32)

    def score_part(pairs: slice) -> pd.DataFrame:
        counts = count_points(
            item, cell, code, pairs=pairs, n_points=n_points, n_contexts=n_contexts
        )
        return _score(counts[..., :-1], values, centre)

    parts = map_parts(score_part, n_pairs, CELLS_AT_ONCE // (n_contexts * n_points), progress)
    scores = pd.concat(parts, ignore_index=True)
    if n_contexts == 2:
        is_whole = (scores[["n1", "n2"]] > 0).all(axis=1).to_numpy()
        scores.loc[~is_whole, "change":] = np.nan
        scores.insert(10, "qvalue", np.nan)
        tested = scores.loc[is_whole, "pvalue_two_sided"].to_numpy()
        scores.loc[is_whole, "qvalue"] = false_discovery_rates(tested)
    return scores.set_index(pd.RangeIndex(1, n_pairs + 1, name="pair"))


def _score(counts: Counts, values: Floats, centre: Centre) -> pd.DataFrame:
    """Return the figures of pairs from counts of shape (n_pairs, n_contexts, n_values)."""
    contexts = [counts[:, number] for number in range(counts.shape[1])]
    with np.errstate(invalid="ignore", divide="ignore"):  # contexts without ratings
        each = [_describe(context, values, centre) for context in contexts]
        columns = {
            f"{name}{i}": each[i - 1][name] for name in each[0] for i in range(1, len(each) + 1)
        }
        if len(contexts) == 1:
            return pd.DataFrame(columns)
        first, second = contexts
        columns["change"] = np.subtract(columns["sim2"], columns["sim1"])
        columns["pvalue"] = change_tests(first, second).pvalues
        columns["pvalue_two_sided"] = two_sided_pvalues(first, second, published=columns["pvalue"])
        return pd.DataFrame(columns | cliffs_delta(first, second))


def _describe(counts: Counts, values: Floats, centre: Centre) -> dict[str, NDArray[Any]]:
    """Return n, the centre and the other figures of each row."""
    up_to = add_from_lowest(counts)
    n = up_to[:, -1]
    if centre == "majority":
        most = counts.max(axis=1)
        is_clear = (n > 0) & ((counts == most[:, None]).sum(axis=1) == 1)
        answer = np.where(is_clear, values[counts.argmax(axis=1)], np.nan)
        return {"n": n.astype(np.int64), "sim": answer, "share": most / n}
    mean = add_up(counts * values) / n
    deviation = np.sqrt(add_up(counts * (values - mean[:, None]) ** 2) / (n - 1))
    deviation[(counts > 0).sum(axis=1) == 1] = 0  # against rounding errors of the mean
    deviation[n < 2] = np.nan
    lower, upper = (
        values[np.minimum((up_to <= at[:, None]).sum(axis=1), len(values) - 1)]
        for at in ((n - 1) // 2, n // 2)
    )
    median = np.where(n > 0, (lower + upper) / 2, np.nan)
    if centre == "median":
        return {"n": n.astype(np.int64), "sim": median, "stdev": deviation, "mean": mean}
    return {"n": n.astype(np.int64), "sim": mean, "stdev": deviation, "median": median}


def take_texts(texts: Sequence[str], places: Integers) -> pd.Series:
    """Return a column of the texts at these positions.

    >>> take_texts(["", "kept"], np.array([1, 0])).tolist()
    ['kept', '']
    """
    return pd.Series(pd.array(list(texts), dtype="str").take(places))
