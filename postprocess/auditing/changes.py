"""Whether whole ratings can have the p-value of each pair."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from postprocess.auditing.contexts import Assumptions, Contexts, Solutions
from postprocess.auditing.pvalues import Search, search_pvalue
from postprocess.auditing.sizes import name_sizes
from postprocess.formats.tabular import Finding, Severity

MOST_OF_A_PAIR, MOST_IN_ALL = 3_000_000, 30_000_000  # pairs of multisets, a tenth of a µs each
TWO_SIDED_SHARE = 0.8  # of those that are not one-sided, for all to be taken as such


@dataclass(frozen=True)
class Changes:
    """What became of the p-values of a dataset.

    `n_possible` of the `n_tested` are possible as `sides`-sided ones; a pair with an impossible
    context has nothing to be tested with. For `n_undecided` not everything could be tried.
    """

    sides: int
    n_tested: int
    n_possible: int
    n_undecided: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """A pair with a p-value, and what its two contexts can come from."""

    row: int
    pvalue: float
    contexts: tuple[Solutions, Solutions]

    def among(self, sizes: range) -> "_Pair":
        """The same with these numbers of ratings alone."""
        first, second = ({n: s for n, s in one.items() if n in sizes} for one in self.contexts)
        return replace(self, contexts=(first, second))


def judge_changes(scores: pd.DataFrame, contexts: Contexts, assumptions: Assumptions) -> Changes:
    """Find for every pair whether ratings with its means and deviations can have its p-value.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 1 or more), index pair
        pvalue as printed; NaN where there is none.
    contexts : Contexts
        Of the same pairs.
    assumptions : Assumptions
        The same as for the contexts.

    Returns
    -------
    Changes
        With an error for a p-value that no ratings can have under the assumptions, and a warning
        for one that only such numbers of ratings may have as no context needs. If most are no
        one-sided p-values but two-sided ones, that is one error of the whole file.
    """
    findings = list(_empty_fields(scores["pvalue"]))
    pairs = [
        _Pair(row, float(pvalue), (first, second))
        for row, pvalue, first, second in zip(
            scores.index,
            scores["pvalue"],
            contexts.solutions[::2],
            contexts.solutions[1::2],
            strict=True,
        )
        if not math.isnan(pvalue) and first and second
    ]
    tester = _Tester(assumptions, contexts)
    first = {pair: tester.search_likely(pair) for pair in pairs}
    left = [pair for pair, search in first.items() if search.sizes is None]
    sides = 1
    if len(left) > len(pairs) / 2:
        two_sided = {pair: tester.search_likely(pair, 2) for pair in left}
        strange = [pair for pair, search in two_sided.items() if search.sizes is None]
        if len(strange) <= (1 - TWO_SIDED_SHARE) * len(left):
            findings.append(_two_sided(len(left) - len(strange), len(pairs)))
            left, sides, first = strange, 2, two_sided
    searches = [tester.search(pair, sides) for pair in left]
    for pair, search in zip(left, searches, strict=True):
        findings.extend(tester.findings(pair, first[pair], search, sides))
    n_undecided = sum(search.sizes is None and not search.is_complete for search in searches)
    n_impossible = sum(search.sizes is None and search.is_complete for search in searches)
    n_possible = len(pairs) - n_impossible - n_undecided
    return Changes(sides, len(pairs), n_possible, n_undecided, tuple(findings))


class _Tester:
    """Searches for ratings, first of the numbers that are likely, then of all."""

    def __init__(self, assumptions: Assumptions, contexts: Contexts) -> None:
        self.assumptions = assumptions
        self.is_estimated = bool(contexts.likely) and not assumptions.is_known
        self.likely = contexts.likely or assumptions.sizes
        self.left = MOST_IN_ALL

    def search_likely(self, pair: _Pair, sides: int = 1) -> Search:
        """Search among the likely numbers of ratings."""
        return self.search(pair.among(self.likely), sides)

    def search(self, pair: _Pair, sides: int) -> Search:
        """Search among all numbers of ratings, as long as it does not take too long."""
        most = min(MOST_OF_A_PAIR, self.left)
        n_steps = self.assumptions.grid.n_steps
        search = search_pvalue(pair.pvalue, pair.contexts, n_steps, sides=sides, most=most)
        self.left -= search.n_tried
        return search

    def findings(
        self, pair: _Pair, likely: Search, search: Search, sides: int
    ) -> Iterator[Finding]:
        """What there is to say of a p-value that likely numbers of ratings were not found to have.

        `likely` is the search among these, `search` that among all.
        """
        kind, other = ("one-sided", "two-sided")[:: 1 if sides == 1 else -1]
        is_other = self.search_likely(pair, 3 - sides).sizes is not None
        hint = f" (as a {other} one it is possible)" if is_other else ""
        figure = f"the {kind} p-value {pair.pvalue:.12g}"
        if search.sizes is None and search.is_complete:
            reason = (
                f"{figure} is not that of {self.assumptions} with these means and "
                f"deviations{hint}; correct it"
            )
            yield Finding(Severity.ERROR, reason, pair.row, "pvalue")
        elif self.is_estimated and likely.is_complete and all(pair.among(self.likely).contexts):
            found = "was found for no other number of ratings, though not all were tried"
            if search.sizes is not None:
                found = "fits {} and {} ratings".format(*search.sizes)
            reason = (
                f"{figure} does not fit {name_sizes(self.likely)} ratings, which explain the "
                f"contexts, and {found}{hint}; correct it, unless there are as many"
            )
            yield Finding(Severity.WARNING, reason, pair.row, "pvalue")


def _empty_fields(pvalues: pd.Series) -> Iterator[Finding]:
    for row in pvalues.index[pvalues.isna()]:
        reason = "there is no number here; fill in the p-value"
        yield Finding(Severity.ERROR, reason, int(row), "pvalue")


def _two_sided(n_fitting: int, n_pairs: int) -> Finding:
    reason = (
        f"{n_fitting} of {n_pairs} p-values are two-sided; the published ones are one-sided: "
        "publish half of them"
    )
    return Finding(Severity.ERROR, reason, column="pvalue")
