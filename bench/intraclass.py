"""How accurately intraclass correlations are estimated where ratings are missing.

Three estimates of the same simulated ratings: from the items that all annotators rated (the
earlier one), by Henderson's method III (the library's), and by restricted maximum likelihood.

    .venv/bin/python bench/intraclass.py --studies 200
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from reporting import read_options, say, table
from scipy.optimize import minimize
from studies import Crowd, Floats, Shape, draw_similarities, rate

from postprocess.statistics.agreement.group_arrays import Stack
from postprocess.statistics.agreement.intraclass import intraclass_correlation

SEED = 1953
MANY = Shape(400, 100)  # groups and items, to approximate infinitely many
COLUMNS = ("study, ratings", "method", "ICC(2,1)", "bias", "ICC(2,k)", "bias", "undefined %")
Rng = np.random.Generator


class Pattern(NamedTuple):
    """Which ratings are missing."""

    name: str
    shape: Shape
    choose: Callable[[Shape, Rng], Floats]  # 1 where a rating is missing


def at_random(share: float) -> Callable[[Shape, Rng], Floats]:
    """Return a choice of single ratings."""
    return lambda shape, rng: rng.random(_size(shape)) < share


def stop_early(n_stopping: int) -> Callable[[Shape, Rng], Floats]:
    """Return a choice of annotators who stop somewhere after a fifth of the items."""

    def choose(shape: Shape, rng: Rng) -> Floats:
        n_rated = np.full(_size(shape)[:2], shape.n_items)
        n_rated[:, :n_stopping] = rng.integers(
            shape.n_items // 5, shape.n_items, n_rated[:, :n_stopping].shape
        )
        order = np.argsort(rng.random(_size(shape)), axis=2)
        return order >= n_rated[..., None]

    return choose


def allot(n_each: int) -> Callable[[Shape, Rng], Floats]:
    """Return a choice that leaves each item with some annotators, chosen at random."""
    return lambda shape, rng: np.argsort(rng.random(_size(shape)), axis=1) >= n_each


PATTERNS = (
    Pattern("2 % missing", Shape(1, 20), at_random(0.02)),
    Pattern("15 % missing", Shape(1, 20), at_random(0.15)),
    Pattern("3 of 10 stop early", Shape(1, 20), stop_early(3)),
    Pattern("2 of 8 stop early", Shape(4, 20, 8), stop_early(2)),
    Pattern("6 of 20 annotators for each item", Shape(1, 20, 20), allot(6)),
)


def estimate(tables: Floats) -> Floats:
    """Return the library's coefficients."""
    n_tables, n_annotators, n_items = tables.shape
    stack = Stack(
        tables,
        np.zeros(n_tables, dtype=np.int64),
        np.arange(n_tables * n_annotators).reshape(n_tables, -1),
        2 * np.arange(n_tables * n_items).reshape(n_tables, -1),
    )
    return intraclass_correlation([stack], 1)[0]


def estimate_complete(tables: Floats) -> Floats:
    """Return the coefficients from the items that all annotators of the group rated."""
    is_complete = ~np.isnan(tables).any(axis=1, keepdims=True)
    return estimate(np.where(is_complete, tables, np.nan))


def estimate_likely(tables: Floats) -> Floats:
    """Return the coefficients by restricted maximum likelihood, each group with its mean."""
    groups = [_take_group(one) for one in tables]
    n_free = sum(len(x) - 1 for x, _, _ in groups)

    def deviance(roots: Floats) -> float:
        items, annotators = roots**2  # variances relative to that of the residuals
        squares = logarithms = 0.0
        for x, same_item, same_annotator in groups:
            covariance = np.eye(len(x)) + items * same_item + annotators * same_annotator
            lower = np.linalg.cholesky(covariance)
            one, y = np.linalg.solve(lower, np.column_stack([np.ones(len(x)), x])).T
            residual = y - one * (one @ y) / (one @ one)
            squares += residual @ residual
            logarithms += 2 * np.log(np.diag(lower)).sum() + np.log(one @ one)
        return float(n_free * np.log(squares / n_free) + logarithms)

    fit = minimize(deviance, [1.0, 0.5], method="Nelder-Mead", options={"xatol": 1e-4})
    items, annotators = fit.x**2
    n_raters = (~np.isnan(tables)).sum(axis=1)
    one_over_k = (1 / n_raters[n_raters > 0]).mean()
    error = annotators + 1
    return np.array([items / (items + error), items / (items + error * one_over_k)])


METHODS: dict[str, Callable[[Floats], Floats]] = {
    "complete items": estimate_complete,
    "Henderson III": estimate,
    "REML": estimate_likely,
}


def compare(pattern: Pattern, n_studies: int) -> list[list[str]]:
    """Return a row for each method: root mean square error and bias of both coefficients."""
    rng = np.random.default_rng([SEED, *pattern.shape])
    single = float(estimate(_simulate(MANY, rng))[0])
    errors: dict[str, list[Floats]] = {method: [] for method in METHODS}
    for _ in range(n_studies):
        ratings = _simulate(pattern.shape, rng)
        ratings[pattern.choose(pattern.shape, rng)] = np.nan
        n_raters = (~np.isnan(ratings)).sum(axis=1)
        one_over_k = (1 / n_raters[n_raters > 0]).mean()
        truth = np.array([single, single / (single + (1 - single) * one_over_k)])
        for method, known in METHODS.items():
            errors[method].append(known(ratings) - truth)
    name = f"{pattern.shape}, {pattern.name}"
    return [[name, method, *_summarise(np.array(errors[method]))] for method in METHODS]


def _take_group(ratings: Floats) -> tuple[Floats, Floats, Floats]:
    annotator, item = np.nonzero(~np.isnan(ratings))
    same = [(of[:, None] == of).astype(float) for of in (item, annotator)]
    return ratings[annotator, item], same[0], same[1]


def _simulate(shape: Shape, rng: Rng) -> Floats:
    return rate(Crowd.gather(shape, rng), draw_similarities(shape, rng), rng)


def _size(shape: Shape) -> tuple[int, int, int]:
    return shape.n_groups, shape.n_annotators, shape.n_items


def _summarise(errors: Floats) -> Sequence[str]:
    defined = errors[~np.isnan(errors).any(axis=1)]
    undefined = f"{100 * (1 - len(defined) / len(errors)):.0f}"
    if not len(defined):
        return ["–", "–", "–", "–", undefined]
    cells = [
        text
        for column in defined.T
        for text in (f"{np.sqrt((column**2).mean()):.3f}", f"{column.mean():+.3f}")
    ]
    return [*cells, undefined]


def main() -> None:
    """Simulate all patterns and print a table."""
    options = read_options(__doc__, studies=(200, "simulated for each pattern"))
    say(table(COLUMNS, []))
    for pattern in PATTERNS:
        for row in compare(pattern, options.studies):
            say(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
