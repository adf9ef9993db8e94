"""Measure the accuracy of `plan` on populations of contexts with known rating distributions.

For each population the number of annotators that really reaches the power is simulated, then
small pilot studies are drawn from it and planned from. Needs no database.

    .venv/bin/python bench/planning.py [--repository DIR] [--pilots 10]
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from reporting import REPOSITORY, read_options, say
from scipy.special import ndtr
from scipy.stats import betabinom

Floats = NDArray[np.float64]
Places = Callable[[Floats], Floats]  # latent means of contexts → distributions of ratings

POINTS = np.arange(7.0)
WIDTH = 10 / 6  # of a point of the survey, in published points
N_CONTEXTS = 2000  # of a population
CHANGES, POWER, ALPHA = (2.0, 3.0), 0.8, 0.05
DESIGNS = ((30, 10), (20, 5), (10, 20))  # pilots: pairs, annotators per context
MOST, SIZE = 50, 12  # annotators tried; annotators for the least detectable change
MARGIN = 0.02  # of the scale: contexts whose mean would come closer to an end do not move
TRUE_SIMULATIONS, PLAN_SIMULATIONS = 20_000, 1_000


@dataclass(frozen=True)
class Population:
    """Contexts by their latent means; a change moves a latent mean until the mean has moved."""

    name: str
    latent: Floats
    rate: Places

    def shifted(self, change: float) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Return experiments: distributions before and after a change, and its direction."""
        before = self.rate(self.latent)
        parts = []
        for direction in (1, -1):
            wanted = before @ POINTS + direction * change / WIDTH
            low, high = np.full(len(wanted), -40.0), np.full(len(wanted), 46.0)
            for _ in range(60):
                middle = (low + high) / 2
                is_low = self.rate(middle) @ POINTS < wanted
                low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
            after = self.rate(low)
            room = (wanted > 6 * MARGIN) & (wanted < 6 * (1 - MARGIN))
            room &= np.abs(after @ POINTS - wanted) < 1e-3
            parts.append((np.flatnonzero(room), after[room], np.full(room.sum(), direction)))
        origin, after, directions = (np.concatenate(one) for one in zip(*parts, strict=True))
        ways = np.bincount(origin)[origin]
        weights = 1 / ways / (1 / ways).sum()
        chosen = np.random.default_rng(1).choice(len(origin), TRUE_SIMULATIONS, p=weights)
        return before[origin[chosen]], after[chosen], directions[chosen]


def normal(spread: float | Floats) -> Places:
    """Return a normal distribution, rounded to the points and cut off at the ends."""

    def rate(latent: Floats) -> Floats:
        bounds = (np.arange(0.5, 6) - latent[:, None]) / np.reshape(spread, (-1, 1))
        return np.diff(ndtr(bounds), axis=1, prepend=0.0, append=1.0)

    return rate


def beta_binomial(latent: Floats) -> Floats:
    """Return beta-binomial distributions, which are wider than binomial distributions."""
    share = np.clip(1 / (1 + np.exp(-(np.clip(latent, -37, 43) - 3) / 1.5)), 1e-6, 1 - 1e-6)
    a, b = 6 * share[:, None], 6 * (1 - share[:, None])
    return np.asarray(betabinom.pmf(POINTS[None], 6, a, b), dtype=float)


def heaped(latent: Floats) -> Floats:
    """Return distributions in which the ends and the middle are chosen twice as often."""
    weights = normal(1.5)(latent) * np.array([2, 1, 1, 2, 1, 1, 2])
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def populations() -> Iterator[Population]:
    """Yield the populations, always the same."""
    rng = np.random.default_rng(0)

    def of(name: str, rate: Places) -> Population:
        return Population(name, rng.uniform(0.3, 5.7, N_CONTEXTS), rate)

    for spread in (0.8, 1.2, 1.7):
        yield of(f"normal, deviation {spread} points", normal(spread))
    yield of("normal, deviations vary", normal(1.3 * np.exp(rng.normal(0, 0.3, N_CONTEXTS))))
    yield of("beta-binomial", beta_binomial)
    yield of("skewed", lambda mu: 0.75 * normal(0.8)(mu) + 0.25 * normal(1.0)(mu - 2))
    gap = rng.choice([0, 1.25], N_CONTEXTS, p=[0.7, 0.3])
    yield of(
        "three in ten divide annotators",
        lambda mu: (normal(0.8)(mu - gap) + normal(0.8)(mu + gap)) / 2,
    )
    yield of("0, 3 and 6 preferred", heaped)
    yield of("one annotator in ten careless", lambda mu: 0.9 * normal(1.0)(mu) + 0.1 / 7)


def true_power(population: Population, change: float, rng: np.random.Generator) -> Floats:
    """Return the share of changes found, for each number of annotators from 0."""
    before, after, upwards = population.shifted(change)
    power = np.zeros(MOST + 1)
    for n in range(2, MOST + 1):
        power[n] = share_found(before, after, upwards, n, rng)
    return power


def share_found(
    before: Floats, after: Floats, upwards: NDArray[np.int64], n: int, rng: np.random.Generator
) -> float:
    """Return the share of changes that n annotators find, by the published test."""
    from postprocess.statistics.change import change_tests

    tests = change_tests(rng.multinomial(n, before), rng.multinomial(n, after))
    return float(((tests.pvalues < ALPHA) & (tests.directions == upwards)).mean())


def true_change(population: Population, rng: np.random.Generator) -> float:
    """Return the least change that `SIZE` annotators detect, to a twentieth of a point."""
    return next(
        float(change)
        for change in np.arange(0.5, 9, 0.05)
        if share_found(*population.shifted(change), SIZE, rng) >= POWER
    )


def draw_pilot(
    population: Population, n_pairs: int, n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Draw the ratings of a pilot study from a population."""
    contexts = rng.choice(N_CONTEXTS, 2 * n_pairs, replace=False)
    counts = rng.multinomial(n, population.rate(population.latent)[contexts])
    ratings = np.concatenate([np.repeat(np.arange(7), row) for row in counts])
    place = np.repeat(np.arange(2 * n_pairs), n)
    columns = {"pair": place // 2 + 1, "context": place % 2 + 1, "rating": ratings}
    return pd.DataFrame(columns).assign(annotator="")


def scores_of(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the published figures of a pilot."""
    grouped = ratings.groupby(["pair", "context"])["rating"]
    means, deviations = (x.unstack() * WIDTH for x in (grouped.mean(), grouped.std(ddof=1)))
    return pd.concat([means, deviations], axis=1, ignore_index=True).set_axis(
        ["sim1", "sim2", "stdev1", "stdev2"], axis=1
    )


def plan_pilots(
    population: Population, n_pilots: int, truth: dict[float, Floats], rng: np.random.Generator
) -> Iterator[dict[str, object]]:
    """Yield a row for each change and plan from a pilot: as ratings, and as published figures."""
    from postprocess.planning.plan import plan_study
    from postprocess.planning.question import Costs, Question
    from postprocess.planning.rating_models import models_of_ratings, models_of_scores
    from postprocess.table.ratings import Scale

    question = Question(CHANGES, POWER, ALPHA, MOST, PLAN_SIMULATIONS)
    for n_pairs, n in DESIGNS:
        for _ in range(n_pilots):
            ratings = draw_pilot(population, n_pairs, n, rng)
            scores = scores_of(ratings)
            sources = {
                "ratings": models_of_ratings(ratings, Scale(), Scale(0, 10)),
                "scores": models_of_scores(scores, Scale(), Scale(0, 10), n_ratings=n),
            }
            for source, models in sources.items():
                table = plan_study(models, question, Costs(pairs=1), rng=rng).table
                for change, planned in zip(CHANGES, table["n"].fillna(MOST), strict=True):
                    yield {
                        "population": population.name,
                        "source": source,
                        "pilot": f"{n_pairs} × {n}",
                        "change": change,
                        "true": int(np.flatnonzero(truth[change] < POWER)[-1]) + 1,
                        "planned": int(planned),
                        "power": float(truth[change][int(planned)]),
                    }


def detect(population: Population, n_pilots: int, rng: np.random.Generator) -> tuple[float, Floats]:
    """Return the true least detectable change, and those planned from pilots."""
    from postprocess.planning.detection import least_detectable_change
    from postprocess.planning.question import Question
    from postprocess.planning.rating_models import models_of_ratings
    from postprocess.table.ratings import Scale

    question = Question(CHANGES, POWER, ALPHA, MOST, PLAN_SIMULATIONS)
    changes = []
    for _ in range(n_pilots):
        ratings = draw_pilot(population, *DESIGNS[0], rng)
        models = models_of_ratings(ratings, Scale(), Scale(0, 10))
        changes.append(least_detectable_change(models, SIZE, question, rng=rng)["change"])
    return true_change(population, rng), np.array(changes)


def summarise(plans: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the plans of each population and change, and of each kind of pilot.

    `power` is the true one at the planned number of annotators; `low` and `high` leave 5 % each.
    """
    kinds = ["source", "pilot"]
    cells = plans.groupby(["population", *kinds, "change"], sort=False).agg(
        true=("true", "first"), planned=("planned", "mean"), SD=("planned", "std"),
        power=("power", "mean"),
    )  # fmt: skip
    ratios = cells.assign(
        ratio=cells["planned"] / cells["true"], spread=cells["SD"] / cells["true"]
    )
    of_kinds = ratios.groupby(kinds).agg(
        ratio=("ratio", "mean"), least=("ratio", "min"), greatest=("ratio", "max"),
        spread=("spread", "mean"),
    )  # fmt: skip
    powers = plans.groupby(kinds)["power"]
    low, high = (powers.quantile(share) for share in (0.05, 0.95))
    return cells, of_kinds.assign(power=powers.mean(), low=low, high=high)


def main() -> None:
    """Measure, and print the results."""
    options = read_options(
        __doc__,
        repository=(REPOSITORY, "another version of the library"),
        pilots=(10, "for each population and design"),
    )
    sys.path.insert(0, str(options.repository.resolve()))
    plans: list[dict[str, object]] = []
    for number, population in enumerate(populations()):
        rng = np.random.default_rng([number, 2])
        truth = {change: true_power(population, change, rng) for change in CHANGES}
        plans += plan_pilots(population, options.pilots, truth, rng)
        true, planned = detect(population, options.pilots, rng)
        change = f"{true:.2f}, planned {planned.mean():.2f} ± {planned.std(ddof=1):.2f}"
        say(f"{population.name}: {SIZE} annotators detect {change}")
    for cells in summarise(pd.DataFrame(plans)):
        say(f"\n{cells.round(3).to_string()}")


if __name__ == "__main__":
    main()
