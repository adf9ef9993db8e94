"""Checking whether ratings can have the mean and deviation of each context."""

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from postprocess.auditing import MOST_RATINGS, AuditError
from postprocess.auditing.reconstruction.granularity import Grid, Sums, fitting_sums, fitting_totals
from postprocess.auditing.reconstruction.sample_sizes import (
    CLEARLY,
    Fits,
    Size,
    chances_of_fit,
    evidence_of,
    find_sizes,
    name_sizes,
)
from postprocess.formats.tabular import Finding, Severity
from postprocess.table.ratings import Scale

Figures = Sequence[tuple[float, float]]  # mean and deviation of each context
Solutions = Mapping[int, Sequence[Sums]]  # number of ratings → sums that fit the figures
SURVEY_SCALE, PUBLISHED_SCALE = Scale(0, 6), Scale(0, 10, 10)
POPULATION_SHARE = 0.8  # of contexts that must fit a population deviation for it to be one


@dataclass(frozen=True)
class Assumptions:
    """Assumptions about the ratings behind a dataset.

    `sizes` are the possible numbers of ratings of a context; `is_known` if they are certain,
    not just an upper limit.
    """

    scale: Scale = SURVEY_SCALE
    published: Scale = PUBLISHED_SCALE
    sizes: range = range(1, MOST_RATINGS + 1)
    is_known: bool = False

    def __post_init__(self) -> None:
        if not self.sizes or self.sizes[0] < 1:
            raise AuditError("a context has at least one rating; give numbers from 1")

    @functools.cached_property
    def grid(self) -> Grid:
        """The grid of published ratings. Raises AuditError for too fine a scale."""
        return Grid.of(self.scale, self.published)

    def __str__(self) -> str:
        size = name_sizes(self.sizes) if self.is_known else f"up to {self.sizes[-1]}"
        return f"{size} ratings on {self.scale}"


@dataclass(frozen=True)
class Contexts:
    """The ratings that the figures of a dataset's contexts can come from.

    `solutions` has context 1 and 2 of pair 1, then those of pair 2, and so on. `likely` is the
    range of the numbers of ratings that explain the dataset, empty if unknown; `counted` has the
    number of contexts that each of them fits. `ddof` is 0 for population deviations.
    """

    solutions: tuple[Solutions, ...]
    likely: range
    counted: tuple[Size, ...]
    ddof: int
    findings: tuple[Finding, ...]

    @property
    def n_possible(self) -> int:
        """The number of contexts with a solution."""
        return sum(bool(solution) for solution in self.solutions)


def judge_contexts(scores: pd.DataFrame, assumptions: Assumptions) -> Contexts:
    """Find the ratings that the mean and deviation of each context can come from.

    `scores`, index pair, has sim1, sim2, stdev1 and stdev2 as printed, in published points; NaN if
    missing. A figure that is impossible under the assumptions is an error, a context that needs
    another number of ratings than all others a warning.
    """
    places = [(row, number) for row in scores.index for number in (1, 2)]
    table = scores[["sim1", "stdev1", "sim2", "stdev2"]].to_numpy(dtype=float).reshape(-1, 2)
    figures: Figures = [(mean, deviation) for mean, deviation in table.tolist()]
    ddof, solutions, counted = _choose(figures, assumptions)
    likely = _likely(counted, assumptions)
    findings = [] if ddof else [_population_finding(solutions)]
    for (row, number), (mean, deviation), sums in zip(places, figures, solutions, strict=True):
        findings.extend(
            Finding(severity, reason, row, f"{column}{number}")
            for severity, column, reason in _problems(mean, deviation, sums, likely, assumptions)
        )
    return Contexts(tuple(solutions), likely, counted, ddof, tuple(findings))


def _likely(counted: Sequence[Size], assumptions: Assumptions) -> range:
    """Return the range of the numbers of ratings that explain the dataset."""
    if assumptions.is_known:
        return assumptions.sizes
    return range(counted[0].n, counted[-1].n + 1) if counted else range(0)


def _choose(
    figures: Figures, assumptions: Assumptions
) -> tuple[int, list[Solutions], tuple[Size, ...]]:
    """Return ddof, the solutions, and the estimated numbers of ratings.

    Population deviations (ddof 0) are chosen only if they are much likelier and possible in most
    contexts, so that a few wrong rows do not decide for the whole file.
    """
    solutions = _solve_all(figures, assumptions, 1)
    fits = _fits(figures, solutions, assumptions, 1)
    counted = find_sizes(fits)
    if _explain_all(solutions, _likely(counted, assumptions)):
        return 1, solutions, counted
    of_populations = _solve_all(figures, assumptions, 0)
    is_possible = sum(map(bool, of_populations)) > POPULATION_SHARE * len(figures)
    if is_possible:
        other_fits = _fits(figures, of_populations, assumptions, 0)
        if evidence_of(other_fits) > evidence_of(fits) + CLEARLY:
            return 0, of_populations, find_sizes(other_fits)
    return 1, solutions, counted


def _explain_all(solutions: Sequence[Solutions], likely: range) -> bool:
    """Return whether every context has a solution with a likely number of ratings."""
    return all(sums and (not likely or any(n in likely for n in sums)) for sums in solutions)


def _solve_all(figures: Figures, assumptions: Assumptions, ddof: int) -> list[Solutions]:
    """Return the fitting numbers of ratings, with their sums, for each mean and deviation."""

    @functools.cache
    def solve(mean: float, deviation: float | None) -> Solutions:
        spread = math.nan if deviation is None else deviation
        sums_of_size = {
            n: tuple(fitting_sums(mean, spread, n, assumptions.grid, ddof=ddof))
            for n in assumptions.sizes
        }
        return {n: sums for n, sums in sums_of_size.items() if sums}

    return [
        {} if math.isnan(mean) else solve(mean, None if math.isnan(deviation) else deviation)
        for mean, deviation in figures
    ]


def _fits(
    figures: Figures, solutions: Sequence[Solutions], assumptions: Assumptions, ddof: int
) -> Fits:
    sizes = assumptions.sizes
    fits = np.array([[n in solution for n in sizes] for solution in solutions], dtype=bool)
    return Fits(sizes, fits, chances_of_fit(figures, sizes, assumptions.grid, ddof=ddof))


def _problems(
    mean: float, deviation: float, solution: Solutions, likely: range, assumptions: Assumptions
) -> Iterator[tuple[Severity, str, str]]:
    """Yield the problems of one context: severity, column and reason."""
    if math.isnan(mean):
        yield Severity.ERROR, "sim", "the number is missing; fill in the mean"
        return
    if solution and (not likely or any(n in likely for n in solution)):
        return
    grid = assumptions.grid
    if not any(fitting_totals(mean, n, grid) for n in assumptions.sizes):
        reason = f"the mean {mean:.12g} is impossible for {assumptions}; correct it"
        yield Severity.ERROR, "sim", reason
        return
    if math.isnan(deviation):
        severity = Severity.WARNING if solution else Severity.ERROR
        reason = "the number is missing; fill in the deviation, unless there is a single rating"
        yield severity, "stdev", reason
        return
    looked_at = likely or assumptions.sizes
    column = "stdev" if any(fitting_totals(mean, n, grid) for n in looked_at) else "sim"
    of_population = any(any(fitting_sums(mean, deviation, n, grid, ddof=0)) for n in likely)
    hint = " (it is possible as a population deviation, divided by n)" if of_population else ""
    if solution:
        reason = (
            f"the mean {mean:.12g} and the deviation {deviation:.12g} fit only "
            f"{name_sizes(solution)} ratings, but {name_sizes(likely)} explain the other contexts"
            f"{hint}; correct one of the two, unless this context has that many"
        )
        yield Severity.WARNING, column, reason
        return
    reason = (
        f"the deviation {deviation:.12g} is impossible for {assumptions} with the mean "
        f"{mean:.12g}{hint}; correct the one that is wrong"
    )
    yield Severity.ERROR, column, reason


def _population_finding(solutions: Sequence[Solutions]) -> Finding:
    n_fitting = sum(bool(solution) for solution in solutions)
    reason = (
        f"the deviations of {n_fitting} of {len(solutions)} contexts are population deviations "
        "(divided by n); publish sample deviations (divided by n - 1)"
    )
    return Finding(Severity.ERROR, reason, column="stdev1, stdev2")
