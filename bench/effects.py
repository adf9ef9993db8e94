"""Measure the model of annotator effects: coverage, sign errors, bias of the components, time.

    .venv/bin/python bench/effects.py
    .venv/bin/python bench/effects.py --only coverage --studies 20 --designs 6x20x10
    .venv/bin/python bench/effects.py --only time

Three populations: *model* is the model itself, *other noise* that of `studies.py`, and of *few
changes* only a quarter of the pairs change, those twice as much; the sign of another pair is always
wrong. The true change of a pair is the difference of the expected ratings over all annotators of
the population, in points of 0-10.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from reporting import read_options, say, table
from scipy import stats
from studies import Crowd, Floats, Shape, draw_similarities, rate, tabulate

from postprocess.statistics.effects.changes import expected_ratings
from postprocess.statistics.effects.estimate import Effects, estimate_effects
from postprocess.statistics.effects.fitting import EffectsError
from postprocess.table.ratings import Scale

DEVIATIONS = {"pair": 1.8, "context": 1.0, "annotator": 0.7, "questionnaire": 0.3}
THRESHOLDS = np.array([-3.0, -1.7, -0.4, 0.9, 2.2, 3.5])
VALUES = np.arange(7) * 10 / 6
DESIGNS = ["2x24x10", "6x20x10", "14x16x10", "34x20x10", "6x20x5", "6x20x3"]
EXTREME = 0.1  # share of pairs with the largest true changes
COVERAGE = (
    "population", "design", "studies", "coverage", "of the largest tenth", "pairs with clear sign",
    "wrong sign of these: expected", "observed", "of all: expected", "observed",
    "change > 1: estimated", "true", "coverage of the share",
)  # fmt: skip
BIAS = ("design", *DEVIATIONS, "components at 0")
TIME = ("ratings", "design", "seconds", "evaluations")


class Truth(NamedTuple):
    """A study's ratings, and each pair's true change in points of 0-10."""

    ratings: pd.DataFrame
    changes: Floats


def draw_model(shape: Shape, rng: np.random.Generator, *, changed: float = 1.0) -> Truth:
    """Draw a study of the model; only a share of the pairs changes."""
    n_blocks = shape.n_groups // 2
    pairs = rng.normal(0, DEVIATIONS["pair"], (n_blocks, 1, shape.n_items))
    distinct = rng.normal(0, DEVIATIONS["context"], (n_blocks, 2, shape.n_items))
    if changed < 1:
        is_changed = rng.random((n_blocks, 1, shape.n_items)) < changed
        distinct = np.where(is_changed, distinct / np.sqrt(changed), distinct[:, :1])
    contexts = (pairs + distinct).reshape(shape.n_groups, shape.n_items)
    groups = rng.normal(0, DEVIATIONS["questionnaire"], (shape.n_groups, 1, 1))
    people = rng.normal(0, DEVIATIONS["annotator"], (shape.n_groups, shape.n_annotators, 1))
    eta = contexts[:, None] + groups + people
    points = (eta + rng.logistic(size=eta.shape))[..., None] > THRESHOLDS
    spread = float(np.hypot(DEVIATIONS["annotator"], DEVIATIONS["questionnaire"]))
    expected = expected_ratings(contexts.ravel(), THRESHOLDS[None], spread, VALUES)[0]
    return Truth(tabulate(points.sum(axis=-1)), _changes(expected, shape))


def draw_other(shape: Shape, rng: np.random.Generator) -> Truth:
    """Draw a study of annotators whose noise differs, normal and rounded."""
    similarities = draw_similarities(shape, rng)
    ratings = rate(Crowd.gather(shape, rng), similarities, rng)
    spreads = np.linspace(0.8, 1.8, 41)
    deviations = np.sqrt(spreads**2 + 0.6**2)[:, None]
    above = [
        stats.norm.sf((cut - similarities.ravel()) / deviations).mean(axis=0)
        for cut in np.arange(6) + 0.5
    ]
    return Truth(tabulate(ratings), _changes(10 / 6 * np.sum(above, axis=0), shape))


def _changes(expected: Floats, shape: Shape) -> Floats:
    """Return the change of each pair, in the order of `tabulate`."""
    by_block = expected.reshape(shape.n_groups // 2, 2, shape.n_items)
    return np.asarray(np.diff(by_block, axis=1).ravel())


POPULATIONS: dict[str, Callable[[Shape, np.random.Generator], Truth]] = {
    "model": draw_model,
    "other noise": draw_other,
    "few changes": lambda shape, rng: draw_model(shape, rng, changed=0.25),
}


def measure_study(truth: Truth, effects: Effects) -> Floats:
    """Return the figures of a study: see the last columns of `COVERAGE`."""
    pairs, changes = effects.pairs, truth.changes
    covered = (pairs["low"] <= changes) & (changes <= pairs["high"])
    largest = np.abs(changes) >= np.quantile(np.abs(changes), 1 - EXTREME)
    wrong = np.sign(pairs["latent"]) != np.sign(changes)  # any sign, if the change is 0
    share = effects.shares.loc[1.0]
    true_share = float((np.abs(changes) > 1).mean())
    n, n_clear = len(pairs), int(pairs["clear"].sum())
    return np.array(
        [
            covered.mean(), covered[largest].mean(), n_clear / n,
            pairs.loc[pairs["clear"], "sign_error"].sum() / n, (wrong & pairs["clear"]).sum() / n,
            pairs["sign_error"].mean(), wrong.mean(),
            share["share"], true_share, share["low"] <= true_share <= share["high"],
        ],
        dtype=float,
    )  # fmt: skip


def estimate(ratings: pd.DataFrame) -> Effects:
    """Estimate the model of one study."""
    return estimate_effects(
        ratings, Scale(), Scale(0, 10), n_draws=2000, rng=np.random.default_rng(1)
    )


def measure_coverage(name: str, shape: Shape, n_studies: int) -> tuple[list[str], list[Floats]]:
    """Return a row of the coverage table, and each study's estimated deviations."""
    figures, deviations = [], []
    for seed in range(n_studies):
        truth = POPULATIONS[name](shape, np.random.default_rng(seed))
        try:
            effects = estimate(truth.ratings)
        except EffectsError as error:
            say(f"{name}, {shape}, seed {seed}: {error}")
            continue
        figures.append(measure_study(truth, effects))
        deviations.append(effects.components["deviation"].to_numpy()[:-1])
    mean = np.array(figures).mean(axis=0)
    clear, wrong = mean[2], mean[3:5] / max(mean[2], 1e-9)
    shown = [*mean[:2], clear, *wrong, *mean[5:]]
    return [name, str(shape), str(len(figures)), *(f"{100 * x:.1f}" for x in shown)], deviations


def describe_bias(shape: Shape, deviations: list[Floats]) -> list[str]:
    """Return a row of the table of bias: mean estimates, and how often one is 0."""
    estimates = np.array(deviations)
    means, errors = estimates.mean(axis=0), estimates.std(axis=0, ddof=1) / np.sqrt(len(estimates))
    zeros = " ".join(f"{100 * share:.0f}" for share in (estimates == 0).mean(axis=0))
    return [str(shape), *(f"{m:.2f} ({e:.2f})" for m, e in zip(means, errors, strict=True)), zeros]


def draw_connected(n_pairs: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw ratings by annotators who each rated 20 random pairs, so that all are connected."""
    truth = draw_model(Shape(2 * n_pairs // 20, 20, 10), rng)
    ratings = truth.ratings
    who = rng.permuted(np.tile(np.arange(n_pairs), 20))
    return ratings.assign(annotator=who[: len(ratings)]).drop_duplicates(
        ["pair", "context", "annotator"]
    )


def measure_time() -> list[list[str]]:
    """Return the rows of the time table: processor time of the whole estimation."""
    studies = {
        "questionnaires of 20 contexts and 10 annotators": [
            draw_model(Shape(n, 20, 10), np.random.default_rng(1)).ratings for n in (6, 34, 150)
        ],
        "annotators with 20 random contexts each": [draw_connected(1500, np.random.default_rng(1))],
    }
    rows = []
    for design, tables in studies.items():
        for ratings in tables:
            start = time.process_time()
            effects = estimate(ratings)
            seconds = time.process_time() - start
            evaluations = f"{effects.figures['evaluations']:.0f}"
            rows.append([f"{len(ratings):,}", design, f"{seconds:.1f}", evaluations])
    return rows


def main() -> None:
    """Simulate and print Markdown tables."""
    tables = ["coverage", "time"]
    options = read_options(
        __doc__,
        studies=(100, "of each cell"),
        designs=(DESIGNS, "questionnaires x items x annotators"),
        only=(tables, ", ".join(tables), tables),
    )
    shapes = [Shape(*map(int, design.split("x"))) for design in options.designs]
    if "coverage" in options.only:
        print_coverage(shapes, options.studies)
    if "time" in options.only:
        say(table(TIME, measure_time()))


def print_coverage(shapes: Sequence[Shape], n_studies: int) -> None:
    """Print the tables of coverage and of bias."""
    rows, biases = [], []
    for name in POPULATIONS:
        for shape in shapes:
            row, deviations = measure_coverage(name, shape, n_studies)
            rows.append(row)
            if name == "model":
                biases.append(describe_bias(shape, deviations))
    say(table(COVERAGE, rows))
    say(table(BIAS, biases))


if __name__ == "__main__":
    main()
