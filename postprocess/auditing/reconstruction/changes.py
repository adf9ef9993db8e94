"""Checking whether ratings can have the p-value of each pair."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from postprocess.auditing.reconstruction.contexts import Assumptions, Contexts, Solutions
from postprocess.auditing.reconstruction.pvalues import Search, search_pvalue
from postprocess.auditing.reconstruction.sample_sizes import name_sizes
from postprocess.formats.tabular import Finding, Severity

MAX_TRIED_PER_PAIR, MAX_TRIED = 3_000_000, 30_000_000  # pairs of multisets, 0.1 µs each
TWO_SIDED_SHARE = 0.8  # of the others that must be two-sided for the file to be


@dataclass(frozen=True)
class Changes:
    """The check of the p-values of a dataset.

    `n_possible` of the `n_tested` are possible as `sides`-sided p-values; pairs with an impossible
    context are not tested. For `n_undecided` the search was not complete.
    """

    sides: int
    n_tested: int
    n_possible: int
    n_undecided: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """A pair with a p-value, and the possible ratings of its two contexts."""

    row: int
    pvalue: float
    contexts: tuple[Solutions, Solutions]

    def among(self, sizes: range) -> "_Pair":
        """Return the pair with only these numbers of ratings."""
        first, second = ({n: of_n[n] for n in of_n if n in sizes} for of_n in self.contexts)
        return replace(self, contexts=(first, second))


def judge_changes(scores: pd.DataFrame, contexts: Contexts, assumptions: Assumptions) -> Changes:
    """Check for every pair whether ratings with its means and deviations can have its p-value.

    `scores`, index pair, has pvalue as printed, NaN if missing; `contexts` are those of the same
    pairs under the same assumptions. A p-value that is impossible under the assumptions is an
    error, one that needs other numbers of ratings than the contexts a warning. If most are possible
    only as two-sided p-values, that is one error of the whole file.
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
        unexplained = [pair for pair, search in two_sided.items() if search.sizes is None]
        if len(unexplained) <= (1 - TWO_SIDED_SHARE) * len(left):
            findings.append(_two_sided(len(left) - len(unexplained), len(pairs)))
            left, sides, first = unexplained, 2, two_sided
    searches = [tester.search(pair, sides) for pair in left]
    for pair, search in zip(left, searches, strict=True):
        findings.extend(tester.findings(pair, first[pair], search, sides))
    n_undecided = sum(search.sizes is None and not search.is_complete for search in searches)
    n_impossible = sum(search.sizes is None and search.is_complete for search in searches)
    n_possible = len(pairs) - n_impossible - n_undecided
    return Changes(sides, len(pairs), n_possible, n_undecided, tuple(findings))


class _Tester:
    """Searches for ratings with a p-value, and keeps to the limits of the search."""

    def __init__(self, assumptions: Assumptions, contexts: Contexts) -> None:
        self.assumptions = assumptions
        self.is_estimated = bool(contexts.likely) and not assumptions.is_known
        self.likely = contexts.likely or assumptions.sizes
        self.left = MAX_TRIED

    def search_likely(self, pair: _Pair, sides: int = 1) -> Search:
        """Search among the likely numbers of ratings."""
        return self.search(pair.among(self.likely), sides)

    def search(self, pair: _Pair, sides: int) -> Search:
        """Search among all numbers of ratings, up to the limits."""
        max_tried = min(MAX_TRIED_PER_PAIR, self.left)
        n_steps = self.assumptions.grid.n_steps
        search = search_pvalue(
            pair.pvalue, pair.contexts, n_steps, sides=sides, max_tried=max_tried
        )
        self.left -= search.n_tried
        return search

    def findings(
        self, pair: _Pair, likely: Search, search: Search, sides: int
    ) -> Iterator[Finding]:
        """Yield the finding on a p-value that likely numbers of ratings do not explain.

        `likely` is the search among the likely numbers, `search` the one among all.
        """
        kind, other = ("one-sided", "two-sided")[:: 1 if sides == 1 else -1]
        is_other = self.search_likely(pair, 3 - sides).sizes is not None
        hint = f" (it is possible as a {other} p-value)" if is_other else ""
        figure = f"the {kind} p-value {pair.pvalue:.12g}"
        if search.sizes is None and search.is_complete:
            reason = (
                f"{figure} is impossible for {self.assumptions} with these means and "
                f"deviations{hint}; correct it"
            )
            yield Finding(Severity.ERROR, reason, pair.row, "pvalue")
        elif self.is_estimated and likely.is_complete and all(pair.among(self.likely).contexts):
            others = "was not found for other numbers of ratings, of which not all were tried"
            if search.sizes is not None:
                others = "fits {} and {} ratings".format(*search.sizes)
            reason = (
                f"{figure} does not fit {name_sizes(self.likely)} ratings, which explain the "
                f"contexts; it {others}{hint}; correct it, unless there are that many"
            )
            yield Finding(Severity.WARNING, reason, pair.row, "pvalue")


def _empty_fields(pvalues: pd.Series) -> Iterator[Finding]:
    for row in pvalues.index[pvalues.isna()]:
        reason = "the number is missing; fill in the p-value"
        yield Finding(Severity.ERROR, reason, int(row), "pvalue")


def _two_sided(n_fitting: int, n_pairs: int) -> Finding:
    reason = (
        f"{n_fitting} of {n_pairs} p-values are two-sided, but the format has one-sided p-values: "
        "divide them by two"
    )
    return Finding(Severity.ERROR, reason, column="pvalue")
