"""Intervals of scores and changes for other annotators: all steps without each annotator."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from postprocess.statistics.correlations import ratio
from postprocess.statistics.means import CONFIDENCE
from postprocess.steps.post_process import (
    Outcome,
    Progress,
    apply_calibration,
    apply_filtering,
    score_points,
)
from postprocess.steps.recipe import Recipe
from postprocess.steps.single_steps import count_table
from postprocess.table.counts import Ratings
from postprocess.types import Bools, Codes, Floats, Integers

MOST_PARTS = 40  # of a group; in a larger one several annotators are left out together


def score_intervals(outcome: Outcome, *, progress: Progress | None = None) -> pd.DataFrame:
    """Compute 95 % intervals of scores and changes over annotators, with all steps in them.

    A jackknife: each annotator of a group is left out in turn, the others are calibrated, filtered,
    rescaled and aggregated again, and the differences of the scores give their standard error.

    Parameters
    ----------
    outcome : Outcome
        The result of `post_process`.
    progress : callable, optional
        As in `post_process`.

    Returns
    -------
    DataFrame, shape (n_pairs, 12), index pair
        sim1, sim1_low, sim1_high (the ends of the interval), sim1_error (the standard error); the
        same for sim2 and change if pairs have two contexts; on the scale of the scores, at whose
        ends intervals are cut. The interval is for the score that many other groups of annotators,
        equally large and treated by the same recipe, would give on average. NaN if a group has one
        annotator, or if no rating of a context is left without one of them. No randomness: the same
        outcome gives the same ends.

    Notes
    -----
    With θ(a) the score without annotator a of a group of k, the squared standard error is
    (k - 1)/k · Σ (θ(a) - mean θ)², and the interval is Student's with k - 1 degrees of freedom. If
    a recipe has neither calibration nor filtering, and all annotators rated the context, these are
    those of the mean. The squared errors of two groups add up; the degrees of freedom are those of
    Welch and Satterthwaite. If annotators rated both contexts of a pair, the covariance of the two
    scores is subtracted twice, and the smaller degrees of freedom of the two count. In a group of
    more than 40, annotators are left out in 40 parts.

    References
    ----------
    Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 11; Welch (1947), The
    generalization of Student's problem when several different population variances are involved.

    Examples
    --------
    >>> from postprocess.steps.post_process import post_process
    >>> from postprocess.steps.recipe import read_recipe
    >>> ratings = pd.DataFrame({
    ...     "pair": 1, "context": [1] * 3 + [2] * 3, "annotator": list("ABCDEF"),
    ...     "rating": [2, 3, 4, 6, 6, 6], "group": list("111222")})
    >>> outcome = post_process(ratings, read_recipe("raw", ["rescaling.maximum=6"]), n_pairs=1)
    >>> score_intervals(outcome).round(2)[["sim1", "sim1_low", "sim1_high"]].values.tolist()
    [[3.0, 0.52, 5.48]]
    """
    given = outcome.ledger[outcome.ledger["calibrated"].notna()]
    n_pairs, n_contexts = len(outcome.pairs), outcome.n_contexts
    _, members, counted = count_table(given, n_contexts)
    cells, parts = _find_cells(counted), _divide(counted.group)
    influences = _leave_out(counted, cells, parts, outcome.recipe, progress)
    of_contexts = _errors_of_contexts(influences, cells, parts, (n_pairs, n_contexts))
    scale = outcome.recipe.rescaling
    ends, span = (scale.minimum, scale.maximum), scale.maximum - scale.minimum
    columns = [
        _tabulate(outcome.pairs[f"sim{n + 1}"], of_contexts.of_column(n), ends)
        for n in range(n_contexts)
    ]
    if n_contexts == 2:
        covariances, is_shared = _find_covariances(
            influences, cells, _place(members, counted, parts), n_pairs
        )
        of_changes = _errors_of_changes(of_contexts, covariances, is_shared)
        columns.append(_tabulate(outcome.pairs["change"], of_changes, (-span, span)))
    return pd.concat(columns, axis="columns")


class _Cells(NamedTuple):
    """The contexts as rated by one group: `context` and `group`, shape (n_cells,).

    `of_rating`, shape (n_ratings,): the cell of each rating.
    """

    context: Integers
    group: Integers
    of_rating: Integers


class _Parts(NamedTuple):
    """`of_member`: the part of each member, from 0; `n_each`: the number of parts of a group."""

    of_member: Integers
    n_each: Integers


def _find_cells(counted: Ratings) -> _Cells:
    n_groups = np.int64(counted.group[-1]) + 1
    names = counted.item * n_groups + counted.group[counted.member]
    of_rating, cells = pd.factorize(names, sort=True)
    context, group = np.divmod(cells, n_groups)
    return _Cells(context, group, np.asarray(of_rating, dtype=np.int64))


def _divide(group: Codes) -> _Parts:
    """Divide each group's members into parts: one member each in groups of at most MOST_PARTS."""
    sizes = np.bincount(group)
    n_each = np.minimum(sizes, MOST_PARTS)
    position = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group]
    return _Parts(position % n_each[group], n_each)


def _leave_out(
    counted: Ratings, cells: _Cells, parts: _Parts, recipe: Recipe, progress: Progress | None
) -> Floats:
    """Return each part's influence on the scores of its group's contexts.

    Shape (n_parts, n_cells): the deviations of the score without the part, scaled so that their
    squares add up to the squared error; 0 beyond the parts of a group, NaN if undefined.
    """
    everyone = np.ones(len(counted.group), dtype=bool)
    total, n = _score_cells(counted, everyone, cells, recipe)
    n_contexts = int(cells.context.max()) + 1
    others, n_others = (
        _add_up(cells.context, sums, n_contexts)[cells.context] - sums for sums in (total, n)
    )
    n_parts = int(parts.n_each.max())
    n_each = parts.n_each[cells.group]
    scores = np.zeros((n_parts, len(n_each)))
    for part in range(n_parts):
        if progress:
            progress("leaving out annotators", part, n_parts)
        is_divided = parts.n_each[counted.group] > max(part, 1)
        stays = is_divided & (parts.of_member != part)
        total, n = _score_cells(counted, stays, cells, recipe)
        scores[part] = np.where(part < n_each, ratio(others + total, n_others + n), 0)
    is_part = np.arange(n_parts)[:, None] < n_each
    deviations = np.where(is_part, scores - scores.sum(axis=0) / n_each, 0)
    shrink = np.where(n_each > 1, np.sqrt((n_each - 1) / n_each), np.nan)
    return np.asarray(deviations * shrink)


def _score_cells(
    counted: Ratings, stays: Bools, cells: _Cells, recipe: Recipe
) -> tuple[Floats, Floats]:
    """Return the sum and number of some members' used ratings in each cell.

    The others still count in the size of their group, of which `filtering.gain_share` is a share.
    """
    rows, n_cells = stays[counted.member], len(cells.context)
    if not rows.any():
        return np.zeros(n_cells), np.zeros(n_cells)
    some = counted._replace(
        item=counted.item[rows],
        member=counted.member[rows],
        cell=counted.cell[rows],
        n=np.where(stays[:, None], counted.n, 0),
    )
    calibrated, _ = apply_calibration(some, recipe)
    points = score_points(calibrated, apply_filtering(calibrated, recipe), recipe)
    x = points.ravel()[some.cell]
    used = ~np.isnan(x)
    cell = cells.of_rating[rows][used]
    return _add_up(cell, x[used], n_cells), _add_up(cell, used[used], n_cells)


class _Errors(NamedTuple):
    """Squared standard errors, and their degrees of freedom."""

    squares: Floats
    free: Floats

    def of_column(self, number: int) -> "_Errors":
        """Return one of the columns."""
        return _Errors(self.squares[:, number], self.free[:, number])


def _errors_of_contexts(
    influences: Floats, cells: _Cells, parts: _Parts, shape: tuple[int, int]
) -> _Errors:
    """Return the scores' errors, shape (n_pairs, n_contexts), added up over groups."""
    squares = (influences**2).sum(axis=0)
    free = np.maximum(parts.n_each[cells.group] - 1, 1)
    added, weighted = (
        _add_up(cells.context, influence, math.prod(shape)).reshape(shape)
        for influence in (squares, squares**2 / free)
    )
    return _Errors(added, _combine(added, weighted))


def _errors_of_changes(of_contexts: _Errors, covariances: Floats, is_shared: Bools) -> _Errors:
    """Return the errors of the changes; `is_shared`: annotators rated both contexts."""
    squares, free = of_contexts
    added = squares.sum(axis=1)
    combined = _combine(added, (squares**2 / free).sum(axis=1))
    return _Errors(
        np.maximum(added - 2 * covariances, 0), np.where(is_shared, free.min(axis=1), combined)
    )


def _add_up(places: Integers, numbers: Floats, n_places: int) -> Floats:
    return np.bincount(places, weights=numbers, minlength=n_places).astype(float)


def _combine(squares: Floats, weighted: Floats) -> Floats:
    """Return Welch's degrees of freedom for sums of squared errors; 1 where a sum is 0.

    `weighted` are the sums of the squares of the squared errors over their degrees of freedom.
    """
    defined = weighted > 0
    return np.where(defined, squares**2 / np.where(defined, weighted, 1), 1)


def _place(members: pd.DataFrame, counted: Ratings, parts: _Parts) -> pd.DataFrame:
    """Return annotator, group and part of each member, as numbers."""
    annotator = pd.factorize(members["annotator"])[0]
    return pd.DataFrame({"annotator": annotator, "group": counted.group, "part": parts.of_member})


def _find_covariances(
    influences: Floats, cells: _Cells, places: pd.DataFrame, n_pairs: int
) -> tuple[Floats, Bools]:
    """Return the covariance of the scores of each pair, and whether annotators rated both."""
    both = places.merge(places, on="annotator", suffixes=("1", "2"))
    both = both.drop(columns="annotator").drop_duplicates()
    number = np.arange(len(cells.context))
    rated = pd.DataFrame({"pair": cells.context // 2, "cell": number, "group": cells.group})
    is_second = cells.context % 2 == 1
    joined = rated[~is_second].merge(rated[is_second], on="pair", suffixes=("1", "2"))
    rows = joined.merge(both, on=["group1", "group2"])
    first, second = (influences[rows[f"part{n}"], rows[f"cell{n}"]] for n in (1, 2))
    is_shared = np.bincount(rows["pair"], minlength=n_pairs) > 0
    return _add_up(rows["pair"].to_numpy(), first * second, n_pairs), is_shared


def _tabulate(scores: pd.Series, errors: _Errors, ends: tuple[float, float]) -> pd.DataFrame:
    """Return a column of scores with their intervals, cut at the ends, and their errors."""
    error = np.where(scores.notna(), np.sqrt(errors.squares), np.nan)
    reach = stdtrit(errors.free, (1 + CONFIDENCE) / 2) * error
    name = str(scores.name)
    columns = {
        name: scores,
        f"{name}_low": (scores - reach).clip(lower=ends[0]),
        f"{name}_high": (scores + reach).clip(upper=ends[1]),
        f"{name}_error": error,
    }
    return pd.DataFrame(columns)
