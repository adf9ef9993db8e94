"""How often intervals over annotators contain the true figure, by several methods.

Scores and changes: Student's interval of the ratings that were used; the library's, a jackknife
with all steps in it; a bootstrap of annotators in which the copies of an annotator are not
compared with each other; and random halves of the annotators. The truth is the mean score of many
other groups of annotators.

Agreement after calibration and filtering: the bootstrap of items; widened by a jackknife of the
annotators who were kept; widened by the library's jackknife with both steps in it; and a bootstrap
of items and annotators, again without comparing copies. The truth is the figure of many other
annotators, chosen by as many items, for other items. *agreement with steps* is the library's
method alone, which takes less than half of the time.

    python bench/annotator_intervals.py --studies 100 --only scores
    python bench/annotator_intervals.py --studies 500 --only "agreement with steps"
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from intervals import COLUMNS, Tally
from reporting import say, table
from scipy import stats
from studies import Crowd, Floats, Shape, draw_similarities, rate, tabulate

from postprocess.statistics.agreement.by_group import agreement_table
from postprocess.statistics.intervals import basic_interval
from postprocess.statistics.means import mean_intervals
from postprocess.steps.post_process import Outcome, post_process
from postprocess.steps.recipe import Recipe, read_recipe
from postprocess.steps.score_intervals import score_intervals
from postprocess.steps.single_steps import calibrate_and_filter

SEED = 20241124
MANY_STUDIES = 4_000  # of other annotators, to approximate infinitely many
N_RESAMPLES = 300
PER_POINT = 10 / 6  # of the published scale
BLANK = 0.1  # share of missing ratings
FIGURES = ("human", "pairwise_spearman", "alpha_interval")
WANTED: dict[str, Any] = {"by": (), "figures": FIGURES, "n_resamples": N_RESAMPLES}
Rng = np.random.Generator
Interval = tuple[float, float, float]  # a figure, and the ends of its interval
Bounds = dict[str, dict[str, Interval]]  # by method and figure


class Design(NamedTuple):
    """A simulated study: one block, or several for agreement."""

    shape: Shape
    bias: float
    recipe: Recipe
    has_gaps: bool = False

    def __str__(self) -> str:
        gaps = ", 10 % missing" if self.has_gaps else ""
        return f"{self.shape}, bias {self.bias:g}, {self.recipe.name}{gaps}"

    def draw(self, similarities: Floats, rng: Rng) -> Floats:
        """Draw ratings by new annotators."""
        n_groups, n_items = similarities.shape
        crowd = Crowd.gather(Shape(n_groups, n_items, self.shape.n_annotators), rng)
        return rate(crowd._replace(bias=crowd.bias * self.bias / 0.6), similarities, rng)


COSIMLEX, RAW = (read_recipe(name) for name in ("cosimlex", "raw"))
CALIBRATED = read_recipe("cosimlex", ['name="calibrated"', "filtering.enabled=false"])
OF_SCORES = (
    Design(Shape(2, 20), 0.6, RAW),
    Design(Shape(2, 20), 0.6, CALIBRATED),
    Design(Shape(2, 20), 1.0, CALIBRATED),
    Design(Shape(2, 20), 0.6, COSIMLEX),
    Design(Shape(2, 20), 1.0, COSIMLEX),
    Design(Shape(2, 20, 5), 0.6, COSIMLEX),
    Design(Shape(2, 20, 20), 0.6, COSIMLEX),
    Design(Shape(2, 50), 0.6, COSIMLEX),
    Design(Shape(2, 20), 0.6, COSIMLEX, has_gaps=True),
)
OF_AGREEMENT = (
    Design(Shape(1, 50), 0.6, RAW),
    Design(Shape(6, 20), 0.6, RAW),
    Design(Shape(6, 20, 5), 0.6, RAW),
    Design(Shape(1, 50), 0.6, COSIMLEX),
    Design(Shape(6, 20), 0.6, COSIMLEX),
    Design(Shape(6, 20), 1.0, COSIMLEX),
)


def apply_steps(ratings: Floats, recipe: Recipe, owners: Floats | None = None) -> Floats:
    """Calibrate and filter complete tables as the library does, NaN for annotators left out.

    `owners` are the annotators behind the rows, shape (n_tables, n_annotators), if some rows are
    copies: these are not compared with each other.
    """
    x = np.array(ratings, dtype=float)
    if recipe.calibration.enabled:
        mean = x.mean(axis=2)
        deviation = (mean - mean.mean(axis=1, keepdims=True)).round(9)
        x = np.clip(x - np.where(np.abs(deviation) > 1, np.sign(deviation), 0)[..., None], 0, 6)
    if recipe.filtering.enabled:
        rho = correlate_rows(x)
        owners = np.arange(x.shape[1])[None] if owners is None else owners
        rho[np.broadcast_to(owners[:, :, None] == owners[:, None, :], rho.shape)] = np.nan
        mean = np.nanmean(rho, axis=2)
        bound = np.nanmean(mean, axis=1) - np.nanstd(mean, axis=1, ddof=1)
        x[(mean - bound[:, None]).round(9) < 0] = np.nan
    return x


def correlate_rows(x: Floats) -> Floats:
    """Return Spearman's correlations of all rows of each table; NaN for constant rows."""
    z = stats.rankdata(x, axis=2)
    z = z - z.mean(axis=2, keepdims=True)
    z = z / np.sqrt((z**2).sum(axis=2, keepdims=True))
    return np.einsum("tin,tjn->tij", z, z)


def cover_scores(n_studies: int) -> Iterator[Tally]:
    """Cover scores and changes; each study adds the intervals of all its items."""
    for design in OF_SCORES:
        rng = np.random.default_rng([SEED, *design.shape, int(10 * design.bias)])
        similarities = draw_similarities(design.shape, rng)
        truth = _mean_scores(design, similarities, rng)
        tallies: dict[tuple[str, str], _Items] = {}
        for _ in range(n_studies):
            ratings = design.draw(similarities, rng)
            if design.has_gaps:
                ratings[rng.random(ratings.shape) < BLANK] = np.nan
            for (method, figure), ends in _bound_scores(design, ratings, rng).items():
                of_figure = truth[1] - truth[0] if figure == "change" else truth
                name = f"{method}, {design}"
                tallies.setdefault((method, figure), _Items(name, figure)).add(of_figure, *ends)
        yield from tallies.values()


class _Items(Tally):
    """Intervals of many items, each with its own true figure."""

    def __init__(self, name: str, figure: str) -> None:
        super().__init__(name, figure, 0.0)

    def add(self, truths: Floats, figures: Floats, low: Floats, high: Floats) -> None:  # type: ignore[override]
        """Add the intervals of a study, relative to the truth."""
        for row in zip(
            *(one.ravel() - truths.ravel() for one in (figures, low, high)), strict=True
        ):
            super().add(*map(float, row))


def _mean_scores(design: Design, similarities: Floats, rng: Rng) -> Floats:
    """Return the mean score of each item over many studies, shape (n_groups, n_items)."""
    total, n_together = np.zeros(similarities.shape), 100
    for _ in range(0, MANY_STUDIES, n_together):
        ratings = design.draw(np.tile(similarities, (n_together, 1)), rng)
        scores = np.nanmean(apply_steps(ratings, design.recipe), axis=1)
        total += scores.reshape(n_together, *similarities.shape).sum(axis=0)
    return PER_POINT * total / MANY_STUDIES


Ends = tuple[Floats, Floats, Floats]  # figures, low and high ends


def _bound_scores(design: Design, ratings: Floats, rng: Rng) -> dict[tuple[str, str], Ends]:
    """Return the intervals of scores and changes by each method."""
    outcome = outcome_of(ratings, design.recipe)
    scores = outcome.scores[["sim1", "sim2"]].to_numpy().T
    found = _bound_by_library(outcome, scores)
    if design.has_gaps:
        return found
    errors = {"bootstrap": _bootstrap_errors(design, ratings, rng)}
    if design.shape.n_annotators > 5:
        errors["halves"] = _half_errors(design, ratings, rng)
    free = design.shape.n_annotators - 1
    for method, error in errors.items():
        reach = stats.t.ppf(0.975, free) * error
        found[method, "score"] = (
            scores,
            np.clip(scores - reach, 0, 10),
            np.clip(scores + reach, 0, 10),
        )
        added = (error**2).sum(axis=0)
        combined = added**2 / np.maximum((error**4).sum(axis=0) / free, 1e-12)
        reach = stats.t.ppf(0.975, np.maximum(combined, 1)) * np.sqrt(added)
        change = scores[1] - scores[0]
        found[method, "change"] = change, change - reach, change + reach
    return found


def _bound_by_library(outcome: Outcome, scores: Floats) -> dict[tuple[str, str], Ends]:
    """Return the library's intervals, and Student's and Welch's of the ratings that were used."""
    student = np.array([mean_intervals(outcome.scores, context, 0, 10) for context in (1, 2)])
    table, change = score_intervals(outcome), scores[1] - scores[0]
    low, high = (table[[f"sim1_{end}", f"sim2_{end}"]].to_numpy().T for end in ("low", "high"))
    n, deviation = (outcome.scores[[f"{name}1", f"{name}2"]].to_numpy() for name in ("n", "stdev"))
    squares = deviation**2 / n
    free = squares.sum(axis=1) ** 2 / np.maximum((squares**2 / (n - 1)).sum(axis=1), 1e-12)
    reach = stats.t.ppf(0.975, np.maximum(free, 1)) * np.sqrt(squares.sum(axis=1))
    return {
        ("Student", "score"): (scores, student[..., 0], student[..., 1]),
        ("jackknife", "score"): (scores, low, high),
        ("Student", "change"): (change, change - reach, change + reach),
        ("jackknife", "change"): (
            change, table["change_low"].to_numpy(), table["change_high"].to_numpy(),
        ),
    }  # fmt: skip


def outcome_of(ratings: Floats, recipe: Recipe) -> Outcome:
    """Post-process the ratings of one block by the library."""
    rows = tabulate(ratings).dropna()
    rows["rating"] = rows["rating"].astype(int)
    return post_process(rows, recipe, n_pairs=int(rows["pair"].max()))


def _bootstrap_errors(design: Design, ratings: Floats, rng: Rng) -> Floats:
    """Return standard errors from annotators drawn with replacement."""
    k, errors = design.shape.n_annotators, []
    for one in ratings:
        drawn = rng.integers(k, size=(N_RESAMPLES, k))
        scores = np.nanmean(apply_steps(one[drawn], design.recipe, drawn), axis=1)
        errors.append(scores.std(axis=0, ddof=1) * np.sqrt(k / (k - 1)))
    return PER_POINT * np.array(errors)


def _half_errors(design: Design, ratings: Floats, rng: Rng) -> Floats:
    """Return standard errors from halves of the annotators, drawn without replacement."""
    k, errors = design.shape.n_annotators, []
    half = k // 2
    for one in ratings:
        drawn = np.argsort(rng.random((N_RESAMPLES, k)), axis=1)[:, :half]
        scores = np.nanmean(apply_steps(one[drawn], design.recipe), axis=1)
        errors.append(scores.std(axis=0) * np.sqrt(half / (k - half)))
    return PER_POINT * np.array(errors)


def cover_agreement(n_studies: int, *, is_library_alone: bool = False) -> Iterator[Tally]:
    """Cover figures of agreement after the steps, by all methods or by the library's."""
    bound = _bound_with_steps if is_library_alone else _bound_agreement
    for design in OF_AGREEMENT:
        shape = design.shape
        rng = np.random.default_rng([SEED, *shape, int(10 * design.bias)])
        truth = _true_agreement(design, rng)
        tallies: dict[tuple[str, str], Tally] = {}
        for _ in range(n_studies):
            ratings = design.draw(draw_similarities(shape, rng), rng)
            for method, rows in bound(design, ratings, rng).items():
                for figure, row in rows.items():
                    tally = Tally(f"{method}, {design}", figure, truth[figure])
                    tallies.setdefault((method, figure), tally).add(*row)
        yield from tallies.values()


def _true_agreement(design: Design, rng: Rng) -> pd.Series:
    """Return the figures of many annotators for other items than those that chose them."""
    n_items = design.shape.n_items
    many = Shape(1000, n_items + 200, design.shape.n_annotators)
    ratings = design.draw(draw_similarities(many, rng), rng)
    chosen, others = np.split(ratings, [n_items], axis=2)
    processed = apply_steps(chosen, design.recipe)
    if design.recipe.calibration.enabled:
        mean = chosen.mean(axis=2)
        deviation = (mean - mean.mean(axis=1, keepdims=True)).round(9)
        shift = np.where(np.abs(deviation) > 1, np.sign(deviation), 0)
        others = np.clip(others - shift[..., None], 0, 6)
    kept = tabulate(np.where(np.isnan(processed[..., :1]), np.nan, others)).dropna()
    return agreement_table(kept, by=(), figures=FIGURES, n_resamples=0).iloc[0]


def _bound_with_steps(design: Design, ratings: Floats, rng: Rng) -> Bounds:
    """Return the intervals that the library gives for items and annotators."""
    process = partial(calibrate_and_filter, recipe=design.recipe)
    found = agreement_table(
        tabulate(ratings), resample="items and annotators", process=process, **WANTED
    )
    return {"jackknife with steps": _bounds_of(found)}


def _bounds_of(found: pd.DataFrame) -> dict[str, Interval]:
    return {f: tuple(found.loc[0, [f, f"{f}_low", f"{f}_high"]]) for f in FIGURES}


def _bound_agreement(design: Design, ratings: Floats, rng: Rng) -> Bounds:
    kept = calibrate_and_filter(tabulate(ratings), recipe=design.recipe)
    found = {
        "items": _bounds_of(agreement_table(kept, **WANTED)),
        "jackknife of those kept": _bounds_of(
            agreement_table(kept, resample="items and annotators", **WANTED)
        ),
        **_bound_with_steps(design, ratings, rng),
    }
    points = {figure: row[0] for figure, row in found["items"].items()}
    drawn = _draw_both(design, ratings, rng)
    found["bootstrap of both"] = {
        figure: (
            points[figure],
            *basic_interval(
                points[figure],
                column,
                within="coefficient" if figure == "alpha_interval" else "correlation",
            ),
        )
        for figure, column in zip(FIGURES, drawn.T, strict=True)
    }
    return found


def _draw_both(design: Design, ratings: Floats, rng: Rng) -> Floats:
    """Return the figures of resamples of items and annotators, shape (N_RESAMPLES, 3)."""
    n_groups, k, n_items = ratings.shape
    found, n_together = [], 50
    for _ in range(0, N_RESAMPLES, n_together):
        size = n_together, n_groups
        owners = rng.integers(k, size=(*size, k))
        rows = ratings[np.arange(n_groups)[:, None], owners]
        owners = owners.reshape(-1, k)
        x = apply_steps(rows.reshape(-1, k, n_items), design.recipe, owners)
        blocks = rng.integers(n_items, size=(n_together, (n_groups + 1) // 2, n_items))
        items = np.repeat(blocks, 2, axis=1)[:, :n_groups].reshape(-1, 1, n_items)
        x = np.take_along_axis(x, np.broadcast_to(items, x.shape), axis=2)
        found.append(_measure_apart(x, owners, n_groups))
    return np.concatenate(found)


def _measure_apart(x: Floats, owners: Floats, n_groups: int) -> Floats:
    """Return human, pairwise rho and alpha of resamples, of ratings by different annotators.

    `x`, shape (n_resamples × n_groups, n_annotators, n_items).
    """
    kept = ~np.isnan(x[..., 0])
    apart = (owners[:, :, None] != owners[:, None, :]) & kept[:, :, None] & kept[:, None, :]
    filled = np.where(kept[..., None], x, 0)

    def of_resample(numbers: Floats) -> Floats:
        return numbers.reshape(-1, n_groups * (numbers.size // len(x))).sum(axis=1)

    rho = correlate_rows(filled)
    defined = apart & ~np.isnan(rho)
    pairwise = of_resample(np.where(defined, rho, 0)) / of_resample(defined)
    means = np.einsum("tij,tjn->tin", apart.astype(float), filled)
    means = (means / np.maximum(apart.sum(axis=2), 1)[..., None]).round(9)
    with_means = _correlate_with(filled, means)
    defined = kept & apart.any(axis=2) & ~np.isnan(with_means)
    human = of_resample(np.where(defined, with_means, 0)) / of_resample(defined)
    return np.column_stack(
        [human, pairwise, _alpha_apart(filled, kept, owners, apart, of_resample)]
    )


def _correlate_with(x: Floats, means: Floats) -> Floats:
    sides = []
    for side in (x, means):
        ranks = stats.rankdata(side, axis=2)
        centred = ranks - ranks.mean(axis=2, keepdims=True)
        sides.append(centred / np.sqrt((centred**2).sum(axis=2, keepdims=True)))
    return np.asarray((sides[0] * sides[1]).sum(axis=2))


def _alpha_apart(
    x: Floats, kept: Floats, owners: Floats, apart: Floats, of_resample: Callable[[Floats], Floats]
) -> Floats:
    """Return Krippendorff's alpha; copies of a rating are not compared with each other."""
    n_items = x.shape[2]
    squares = ((x[:, :, None] - x[:, None]) ** 2).mean(axis=3)
    weights = kept.sum(axis=1) * n_items
    within = (squares * apart).sum(axis=(1, 2)) / np.maximum(apart.sum(axis=(1, 2)), 1)
    observed = of_resample(weights * within) / of_resample(weights)
    total = of_resample(weights)
    mean = of_resample((x * kept[..., None]).sum(axis=(1, 2))) / total
    n_groups = len(x) // len(mean)
    about = (x - np.repeat(mean, n_groups)[:, None, None]) ** 2 * kept[..., None]
    same = (owners[:, :, None] == owners[:, None, :]) & kept[:, :, None] & kept[:, None, :]
    n_same = of_resample(same.sum(axis=(1, 2)) * n_items)
    expected = 2 * of_resample(about.sum(axis=(1, 2))) * total / (total**2 - n_same)
    return np.asarray(1 - observed / expected)


INTERVALS: dict[str, Callable[[int], Iterable[Tally]]] = {
    "scores": cover_scores,
    "agreement": cover_agreement,
    "agreement with steps": partial(cover_agreement, is_library_alone=True),
}


def main() -> None:
    """Simulate the chosen figures and print a table of each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--studies", type=int, default=100, help="simulated for each design")
    parser.add_argument("--only", nargs="+", choices=INTERVALS, default=["scores", "agreement"])
    options = parser.parse_args()
    np.seterr(invalid="ignore", divide="ignore")  # constant ratings
    for name in options.only:
        say(f"\n## {name}\n\n{table(COLUMNS, [])}")
        for tally in INTERVALS[name](options.studies):
            say(f"| {' | '.join(tally.row())} |")


if __name__ == "__main__":
    main()
