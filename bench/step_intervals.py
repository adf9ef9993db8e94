"""Intervals of scores and agreement after calibration and filtering, for `intervals.py`.

Of scores: Student's interval of the ratings that were used; the library's, a jackknife with all
steps in it; and a bootstrap of annotators in which the copies of an annotator are not compared with
each other. Of agreement: over items, and by the library's jackknife with both steps in it; the
truth is the figure of many other annotators, chosen by as many items, for other items.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from studies import Crowd, Floats, Shape, Tally, draw_similarities, rate, tabulate

from postprocess.statistics.agreement.by_group import agreement_table
from postprocess.statistics.means import mean_intervals
from postprocess.steps.post_process import Outcome, post_process
from postprocess.steps.recipe import Recipe, read_recipe
from postprocess.steps.score_intervals import score_intervals
from postprocess.steps.single_steps import calibrate_and_filter

SEED = 20241124
MANY_STUDIES = 4_000  # to approximate infinitely many
N_RESAMPLES = 300
PER_POINT = 10 / 6  # of the published scale
Rng = np.random.Generator
OF_STEPS = ("human", "pairwise_spearman", "alpha_interval")


class Design(NamedTuple):
    """A simulated study: one block, or several for agreement."""

    shape: Shape
    bias: float
    recipe: Recipe

    def __str__(self) -> str:
        return f"{self.shape}, bias {self.bias:g}, {self.recipe.name}"

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
        differences = (part.ravel() - truths.ravel() for part in (figures, low, high))
        for row in zip(*differences, strict=True):
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
    error = _bootstrap_errors(design, ratings, rng)
    free = design.shape.n_annotators - 1
    reach = stats.t.ppf(0.975, free) * error
    low, high = (np.clip(scores + sign * reach, 0, 10) for sign in (-1, 1))
    added = (error**2).sum(axis=0)
    combined = added**2 / np.maximum((error**4).sum(axis=0) / free, 1e-12)
    reach = stats.t.ppf(0.975, np.maximum(combined, 1)) * np.sqrt(added)
    change = scores[1] - scores[0]
    return _bound_by_library(outcome, scores) | {
        ("bootstrap", "score"): (scores, low, high),
        ("bootstrap", "change"): (change, change - reach, change + reach),
    }


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
        ("jackknife", "change"): (change, *table[["change_low", "change_high"]].to_numpy().T),
    }


def outcome_of(ratings: Floats, recipe: Recipe) -> Outcome:
    """Post-process the ratings of one block by the library."""
    rows = tabulate(ratings).dropna()
    rows["rating"] = rows["rating"].astype(int)
    return post_process(rows, recipe, n_pairs=int(rows["pair"].max()))


def _bootstrap_errors(design: Design, ratings: Floats, rng: Rng) -> Floats:
    """Return standard errors from annotators drawn with replacement."""
    k, errors = design.shape.n_annotators, []
    for of_group in ratings:
        drawn = rng.integers(k, size=(N_RESAMPLES, k))
        scores = np.nanmean(apply_steps(of_group[drawn], design.recipe, drawn), axis=1)
        errors.append(scores.std(axis=0, ddof=1) * np.sqrt(k / (k - 1)))
    return PER_POINT * np.array(errors)


def cover_agreement_with_steps(n_studies: int) -> Iterator[Tally]:
    """Cover figures of agreement after the steps."""
    wanted: dict[str, Any] = {"by": (), "figures": OF_STEPS, "n_resamples": N_RESAMPLES}
    for design in OF_AGREEMENT:
        shape = design.shape
        rng = np.random.default_rng([SEED, *shape, int(10 * design.bias)])
        truth = _true_agreement(design, rng)
        process = partial(calibrate_and_filter, recipe=design.recipe)
        tallies = {
            (method, figure): Tally(f"{method}, {design}", figure, truth[figure])
            for method in ("items", "jackknife with steps")
            for figure in OF_STEPS
        }
        for _ in range(n_studies):
            ratings = tabulate(design.draw(draw_similarities(shape, rng), rng))
            tables = {
                "items": agreement_table(process(ratings), **wanted),
                "jackknife with steps": agreement_table(
                    ratings, resample="items and annotators", process=process, **wanted
                ),
            }
            for (method, figure), tally in tallies.items():
                ends = [f"{figure}{end}" for end in ("", "_low", "_high")]
                tally.add(*tables[method].loc[0, ends])
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
    return agreement_table(kept, by=(), figures=OF_STEPS, n_resamples=0).iloc[0]
