"""Tests of all pairs of many systems, and their places: as `rank_systems`, for whole arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from postprocess.boards.board import Place
from postprocess.scoring.ranking import LEVEL, Places, correct_by_holm, round_all
from postprocess.types import Bools, Codes, Floats


class Scores(NamedTuple):
    """The scores of systems in a column, shape (n_systems,), and how they vary.

    `left_out` has an array for each language, shape (n_systems, n_groups): what the score has of
    that language without each group of pairs; zeros where a language does not count.
    """

    scores: Floats
    left_out: tuple[Floats, ...]

    def of(self, rows: Sequence[int]) -> "Scores":
        """Select the given systems' scores."""
        chosen = np.asarray(rows, dtype=int)
        return Scores(self.scores[chosen], tuple(part[chosen] for part in self.left_out))


class Comparisons(NamedTuple):
    """Differences within pairs of systems, shape (n_pairs,), and two-sided p-values."""

    d: Floats
    p: Floats


def compare_all(column: Scores) -> Comparisons:
    """Test all pairs of systems, in the order of `itertools.combinations`; see `compare_averages`.

    >>> column = Scores(np.array([0.5, 0.5]), (np.array([[0.4, 0.6], [0.5, 0.5]]),))
    >>> compare_all(column).p.tolist()
    [1.0]
    """
    n = len(column.scores)
    first, second = np.triu_indices(n, 1)
    variances = [
        np.concatenate([_vary(part[k] - part[k + 1 :]) for k in range(n - 1)] or [np.empty(0)])
        for part in column.left_out
    ]
    return _test(column.scores[first] - column.scores[second], variances, column.left_out)


def compare_with_one(column: Scores, other: Scores) -> Comparisons:
    """Test all systems against one other."""
    both = zip(column.left_out, other.left_out, strict=True)
    variances = [_vary(part - alone) for part, alone in both]
    return _test(column.scores - other.scores, variances, column.left_out)


def place_systems(
    scores: Floats, comparisons: Comparisons | None = None, places: Places = Places.COMPETITION
) -> list[Place]:
    """Return the places of systems that are sorted by their scores as shown, the best first.

    Without comparisons there are neither rank ranges nor groups.
    """
    shown = np.array(round_all(scores.tolist()))
    n_better = np.searchsorted(-shown, -shown, side="left")
    is_shared = np.searchsorted(-shown, -shown, side="right") - n_better > 1
    steps = np.arange(len(shown))  # the first system of each place
    if places is Places.DENSE:
        steps = np.unique(n_better)
        n_better = np.searchsorted(steps, n_better)
    plain = list(zip((n_better + 1).tolist(), is_shared.tolist(), strict=True))
    if comparisons is None:
        return [Place(*place) for place in plain]
    is_better = _find_better(len(scores), comparisons)
    above, below = (np.logical_or.reduceat(is_better, steps, axis=axis) for axis in (0, 1))
    best = (1 + above.sum(axis=0)).tolist()
    worst = (len(steps) - below.sum(axis=1)).tolist()
    groups = _group(is_better).tolist()
    return [Place(*place, *rest) for place, *rest in zip(plain, best, worst, groups, strict=True)]


def _vary(left_out: Floats) -> Floats:
    """Return the jackknife's variance of figures in rows; see `standard_error`."""
    n = left_out.shape[1]
    centred = left_out - left_out.mean(axis=1, keepdims=True)
    return np.asarray((n - 1) / n * (centred**2).sum(axis=1))


def _test(d: Floats, variances: Sequence[Floats], left_out: Sequence[Floats]) -> Comparisons:
    """Return p from the variances by language; degrees of freedom by Welch and Satterthwaite."""
    from scipy.stats import t as student  # slow to import

    freedoms = [part.shape[1] - 1 for part in left_out]
    total = np.sum(variances, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [v**2 / freedom for v, freedom in zip(variances, freedoms, strict=True)]
        freedom = np.where(total > 0, total**2 / np.sum(parts, axis=0), sum(freedoms))
        p = 2 * student.sf(np.abs(d) / np.sqrt(total), freedom)
    return Comparisons(d, np.where((d == 0) | np.isnan(total), 1.0, p))


def _find_better(n: int, comparisons: Comparisons) -> Bools:
    """Return which system (row) is significantly better than which (column)."""
    is_proven = correct_by_holm(comparisons.p.tolist()) < LEVEL
    first, second = np.triu_indices(n, 1)
    is_better = np.zeros((n, n), dtype=bool)
    is_better[first, second] = is_proven & (comparisons.d > 0)
    is_better[second, first] = is_proven & (comparisons.d <= 0)
    return is_better


def _group(is_better: Bools) -> Codes:
    """Return the groups, from 1: a new one where all above are better than all from there on."""
    n = len(is_better)
    n_above = is_better.cumsum(axis=0, dtype=np.int64)  # of each column, down to each row
    n_proven = n_above[:, ::-1].cumsum(axis=1)[:, ::-1]  # and of all columns from there on
    border = np.arange(1, n)
    begins = n_proven[border - 1, border] == border * (n - border)
    return np.append(1, 1 + np.cumsum(begins, dtype=np.int64))[:n]
