"""Measure the coverage of the 95 % intervals that Cosima prints.

    .venv/bin/python bench/intervals.py
    .venv/bin/python bench/intervals.py --only agreement methods --studies 20

Studies are simulated from a population whose figure is known, or computed from a very large
sample of it. Coverage is the percentage of studies whose interval contains that figure, with its
simulation standard error; below and above are the shares of intervals that lie below and above
the figure. "out" is the share of figures outside their own interval.

*scores* are those after calibration and filtering: Student's interval of the ratings that were
used; the library's, a jackknife with all steps in it; and a bootstrap of annotators in which the
copies of an annotator are not compared with each other. *agreement-steps* is agreement after both
steps, over items, and by the library's jackknife with both steps in it; the truth is the figure of
many other annotators, chosen by as many items, for other items.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from reporting import read_options, say, table
from scipy import stats
from studies import Crowd, Floats, Shape, draw_similarities, rate, simulate, tabulate

from postprocess.planning.plan import wilson_interval
from postprocess.statistics.agreement.by_group import FIGURES, TABLE_FIGURES, agreement_table
from postprocess.statistics.agreement.by_group import RANGES as RANGES_OF_FIGURES
from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.agreement.measures import agreement_with_means
from postprocess.statistics.agreement.reliability import change_reliability
from postprocess.statistics.agreement.resampled import resample_figures
from postprocess.statistics.change import cliffs_delta
from postprocess.statistics.confounds import find_confounds
from postprocess.statistics.intervals import basic_interval
from postprocess.statistics.means import mean_intervals
from postprocess.statistics.resampling import Resample, weigh_items
from postprocess.steps.post_process import Outcome, post_process
from postprocess.steps.recipe import Recipe, read_recipe
from postprocess.steps.score_intervals import score_intervals
from postprocess.steps.single_steps import calibrate_and_filter

SEED, SEED_OF_STEPS = 20200312, 20241124
MANY_ITEMS = 40_000  # of all questionnaires together, to approximate infinitely many
MANY_GROUPS = 1_000  # of other annotators, to approximate infinitely many
MANY_STUDIES = 4_000  # the same for scores
N_RESAMPLES = 300
PER_POINT = 10 / 6  # of the published scale
Rng = np.random.Generator
SHAPES = (Shape(1, 20), Shape(1, 50), Shape(6, 20), Shape(14, 16), Shape(34, 20))
BLOCKS = (Shape(2, 20, 3), Shape(2, 20, 5), Shape(2, 20))
COMPARED = {
    figure: TABLE_FIGURES[figure]
    for figure in ("human", "pairwise_spearman", "alpha_ordinal", "icc_average")
}
OF_STEPS = ("human", "pairwise_spearman", "alpha_interval")
COLUMNS = ("interval", "figure", "studies", "coverage %", "SE", "below", "above", "out", "width")


class Tally:
    """Intervals of many studies compared with the true figure."""

    def __init__(self, name: str, figure: str, truth: float) -> None:
        self.name, self.figure, self.truth = name, figure, truth
        self.rows: list[tuple[float, float, float]] = []

    def add(self, figure: float, low: float, high: float) -> None:
        """Count the interval of a study unless it is undefined."""
        if not np.isnan(low):
            self.rows.append((figure, low, high))

    def row(self) -> list[str]:
        """Return the row of the printed table."""
        figures, low, high = np.array(self.rows).T
        below, above = high < self.truth, low > self.truth
        share = float((~below & ~above).mean())
        error = np.sqrt(share * (1 - share) / len(low))
        out = (figures < low) | (figures > high)
        shares = (f"{100 * part.mean():.0f}" for part in (below, above, out))
        counts = self.name, self.figure, str(len(low))
        width = float((high - low).mean())
        return [*counts, f"{100 * share:.1f}", f"{100 * error:.1f}", *shares, f"{width:.3f}"]


def draw_endless(shape: Shape, resample: Resample, rng: Rng) -> tuple[pd.DataFrame, Crowd | None]:
    """Return the ratings whose figures are taken for the true ones, and the crowd of all studies.

    Items alone: the same annotators in all studies, and their ratings of very many items.
    Annotators too: new ones in each study, so no crowd, and the ratings of very many groups.
    """
    if resample != "items":
        return simulate(shape._replace(n_items=200, n_groups=MANY_GROUPS), rng), None
    crowd = Crowd.gather(shape, rng)
    return simulate(shape._replace(n_items=MANY_ITEMS // shape.n_groups), rng, crowd), crowd


def cover_agreement(
    n_studies: int,
    *,
    shapes: Iterable[Shape] = SHAPES,
    resample: Resample = "items",
    figures: Sequence[str] = FIGURES,
    n_resamples: int = N_RESAMPLES,
) -> Iterable[Tally]:
    """Cover the figures of the agreement table, overall."""
    for shape in shapes:
        rng = np.random.default_rng([SEED, *shape])
        ratings, crowd = draw_endless(shape, resample, rng)
        endless = agreement_table(ratings, by=(), figures=figures, n_resamples=0, n_splits=20).iloc[
            0
        ]
        name = f"agreement, {shape}, {resample}"
        tallies = [Tally(name, figure, endless[figure]) for figure in figures]
        for _ in range(n_studies):
            found = agreement_table(
                simulate(shape, rng, crowd),
                by=(),
                figures=figures,
                n_resamples=n_resamples,
                resample=resample,
            ).iloc[0]
            for tally in tallies:
                tally.add(*(found[f"{tally.figure}{end}"] for end in ("", "_low", "_high")))
        yield from tallies


def cover_methods(n_studies: int) -> Iterable[Tally]:
    """Cover figures of the agreement table by other methods, from the same resamples."""
    for shape in SHAPES:
        rng = np.random.default_rng([SEED, *shape])
        many, crowd = draw_endless(shape, "items", rng)
        endless = stack_groups(many)
        tallies = {
            (method, figure): Tally(f"{method}, {shape}", figure, float(known(endless, 1)[0]))
            for figure, known in COMPARED.items()
            for method in METHODS
        }
        for _ in range(n_studies):
            stacks = stack_groups(simulate(shape, rng, crowd))
            weights = weigh_items(stacks, N_RESAMPLES, rng)
            once = np.ones((len(weights), 1))
            known = resample_figures(stacks, np.hstack([once, 2 * once, weights]), list(COMPARED))
            for figure, (point, twice, *others) in known.items():
                drawn = np.array(others)
                for method, interval in METHODS.items():
                    ends = interval(figure, point, 2 * twice - point, drawn)
                    tallies[method, figure].add(point, *ends)
        yield from tallies.values()


def percentile(figure: str, point: float, limit: float, drawn: Floats) -> tuple[float, float]:
    """Return the quantiles of the resamples, the earlier method."""
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def bca(figure: str, point: float, limit: float, drawn: Floats) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval (Efron, 1987).

    The acceleration is estimated from the skewness of the resamples, not by a jackknife.
    """
    share = np.clip((drawn < point).mean(), 0.5 / len(drawn), 1 - 0.5 / len(drawn))
    z0, acceleration = stats.norm.ppf(share), stats.skew(drawn) / 6
    z = z0 + stats.norm.ppf([0.025, 0.975])
    levels = stats.norm.cdf(z0 + z / (1 - acceleration * z))
    low, high = np.quantile(drawn, levels)
    return float(low), float(high)


def basic(figure: str, point: float, limit: float, drawn: Floats) -> tuple[float, float]:
    """Return the basic interval, clipped to the range of a correlation."""
    low, high = np.quantile(drawn, [0.025, 0.975])
    return max(-1.0, float(2 * point - high)), min(1.0, float(2 * point - low))


def basic_on_z(figure: str, point: float, limit: float, drawn: Floats) -> tuple[float, float]:
    """Return the interval that the library prints."""
    within = RANGES_OF_FIGURES.get(figure, "correlation")
    return basic_interval(point, drawn, limit=limit, within=within)


METHODS: dict[str, Callable[[str, float, float, Floats], tuple[float, float]]] = {
    "percentile": percentile,
    "BCa": bca,
    "basic": basic,
    "basic on z": basic_on_z,
}


def cover_annotators(n_studies: int) -> Iterable[Tally]:
    """Cover the agreement of one annotator with the means of the others."""
    for n_items in (10, 20, 50):
        shape = Shape(1, n_items)
        rng = np.random.default_rng([SEED, n_items])
        crowd = Crowd.gather(shape, rng)

        def sides(n: int, crowd: Crowd = crowd, rng: Rng = rng) -> list[Floats]:
            ratings = rate(crowd, draw_similarities(Shape(1, n), rng), rng)[0]
            return [ratings[0], ratings[1:].mean(axis=0)]

        truth = agreement_with_means(*sides(MANY_ITEMS), n_resamples=0)[0]
        tally = Tally(f"an annotator, {n_items} items", "rho", truth)
        for _ in range(n_studies):
            tally.add(*agreement_with_means(*sides(n_items)))
        yield tally


def cover_change(n_studies: int, *, resample: Resample = "items") -> Iterable[Tally]:
    """Cover the reliability of the changes and the ceiling of subtask 1."""
    for shape in (Shape(2, 24), Shape(6, 20), Shape(14, 16), Shape(34, 20)):
        rng = np.random.default_rng([SEED, *shape])
        ratings, crowd = draw_endless(shape, resample, rng)
        endless = change_reliability(ratings, rng=rng, n_splits=20, n_resamples=0)
        name = f"change, {shape}, {resample}"
        truths = {str(method): float(r) for method, r in endless["reliability"].items()}
        tallies = {method: Tally(name, f"R, {method}", truths[method]) for method in truths}
        ceiling = Tally(name, "ceiling", float(np.sqrt(truths["uncentered"])))
        for _ in range(n_studies):
            found = change_reliability(
                simulate(shape, rng, crowd), rng=rng, n_splits=100, n_resamples=N_RESAMPLES,
                resample=resample,
            )  # fmt: skip
            for method, tally in tallies.items():
                tally.add(*found.loc[method, ["reliability", "low", "high"]])
            ends = found.loc["uncentered", ["ceiling", "ceiling_low", "ceiling_high"]]
            ceiling.add(*ends)
        yield from (*tallies.values(), ceiling)


def cover_delta(n_studies: int) -> Iterable[Tally]:
    """Cover Cliff's delta of pairs with 10 ratings per context, by size of change."""
    points = np.arange(7)
    for change in (0.0, 1.0, 2.0, 4.0):
        rng = np.random.default_rng([SEED, int(change)])
        first, second = (
            np.diff(stats.norm.cdf((np.arange(-0.5, 7) - centre) / 1.3, loc=0))
            for centre in (3 - change / 2, 3 + change / 2)
        )
        first, second = first / first.sum(), second / second.sum()
        truth = float(first @ np.sign(points[None, :] - points[:, None]) @ second)
        counts = (rng.multinomial(10, p, size=50 * n_studies) for p in (first, second))
        tally = Tally("10 and 10 ratings", f"delta {truth:.2f}", truth)
        for row in zip(*cliffs_delta(*counts).values(), strict=True):
            tally.add(*row)
        yield tally


def cover_confounds(n_studies: int) -> Iterable[Tally]:
    """Cover the associations of scores, changes and ratings with confounds."""
    for n_pairs in (24, 111, 340):
        rng = np.random.default_rng([SEED, n_pairs])
        crowd = Crowd.gather(Shape(2, n_pairs), rng)
        truths = _confound(MANY_ITEMS, crowd, rng, n_resamples=0)
        tallies = [
            Tally(f"confounds, {n_pairs} pairs", f"{outcome}, {confound}", estimate)
            for outcome, confound, estimate in zip(
                truths["outcome"], truths["confound"], truths["estimate"], strict=True
            )
        ]
        for _ in range(n_studies):
            found = _confound(n_pairs, crowd, rng, n_resamples=N_RESAMPLES)
            ends = found[["estimate", "low", "high"]].to_numpy(dtype=float)
            for tally, row in zip(tallies, ends, strict=True):
                tally.add(*row)
        yield from tallies


def _confound(n_pairs: int, crowd: Crowd, rng: Rng, *, n_resamples: int) -> pd.DataFrame:
    """Simulate scores that fall with the distance of words and rise if they share a sentence.

    An annotator in a hurry rates lower; positions do not matter.
    """
    size = 2, n_pairs
    per_pair = rng.normal(size=n_pairs)
    distance = 1 + rng.poisson(np.exp(1.5 + 0.5 * per_pair + 0.3 * rng.normal(size=size)))
    same = (rng.random(size) < 0.6).astype(float)
    similarities = draw_similarities(Shape(*size), rng) - 0.05 * distance + 0.5 * same
    ratings = rate(crowd, similarities, rng)
    seconds = np.exp(3 + 0.5 * crowd.bias[:, :, None] + 0.4 * rng.normal(size=ratings.shape))
    position = rng.permuted(np.broadcast_to(np.arange(n_pairs), ratings.shape), axis=2)
    pairs = pd.RangeIndex(1, n_pairs + 1, name="pair")
    scores = pd.DataFrame(ratings.mean(axis=1).T, columns=["sim1", "sim2"], index=pairs)
    measures = pd.DataFrame(
        {
            "pair": np.tile(pairs, 2),
            "context": np.repeat([1, 2], n_pairs),
            "distance": distance.ravel().astype(float),
            "same_sentence": same.ravel(),
        }
    )
    rows = tabulate(ratings).assign(seconds=seconds.ravel(), position=position.ravel())
    return find_confounds(scores, measures, rng=rng, ratings=rows, n_resamples=n_resamples)


def cover_power(n_studies: int) -> Iterable[Tally]:
    """Cover Wilson's interval of the power found in simulated experiments."""
    for n_tried in (100, 10_000):
        for power in (0.5, 0.8, 0.95):
            rng = np.random.default_rng([SEED, n_tried])
            tally = Tally(f"{n_tried} experiments", f"power {power}", power)
            for n_found in rng.binomial(n_tried, power, size=50 * n_studies):
                tally.add(n_found / n_tried, *wilson_interval(int(n_found), n_tried))
            yield tally


def cover_pace(n_studies: int) -> Iterable[Tally]:
    """Cover the range of the pace that the forecast of a collection takes, (√n ± 0.98)²."""
    for pace in (8.0, 20.0, 100.0):
        rng = np.random.default_rng([SEED, int(pace)])
        tally = Tally("finished in seven days", f"pace {pace:g}", pace)
        for n in rng.poisson(pace, size=50 * n_studies):
            if n >= 5:
                tally.add(n, (np.sqrt(n) - 0.98) ** 2, (np.sqrt(n) + 0.98) ** 2)
        yield tally


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
        rng = np.random.default_rng([SEED_OF_STEPS, *design.shape, int(10 * design.bias)])
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
        for row in zip(
            *(part.ravel() - truths.ravel() for part in (figures, low, high)), strict=True
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
        rng = np.random.default_rng([SEED_OF_STEPS, *shape, int(10 * design.bias)])
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


INTERVALS: dict[str, Callable[[int], Iterable[Tally]]] = {
    "methods": cover_methods,
    "agreement": cover_agreement,
    "agreement-annotators": partial(cover_agreement, resample="items and annotators"),
    "blocks": partial(cover_agreement, shapes=BLOCKS, figures=["human"], n_resamples=200),
    "annotators": cover_annotators,
    "change": cover_change,
    "change-annotators": partial(cover_change, resample="items and annotators"),
    "scores": cover_scores,
    "agreement-steps": cover_agreement_with_steps,
    "confounds": cover_confounds,
    "delta": cover_delta,
    "power": cover_power,
    "pace": cover_pace,
}


def main() -> None:
    """Simulate the chosen figures and print a table of each."""
    names = list(INTERVALS)
    options = read_options(
        __doc__,
        studies=(60, "simulated for each row"),
        only=(names, ", ".join(names), names),
    )
    np.seterr(invalid="ignore", divide="ignore")  # constant ratings
    for name in options.only:
        say(f"\n## {name}\n\n{table(COLUMNS, [])}")
        for tally in INTERVALS[name](options.studies):
            say(f"| {' | '.join(tally.row())} |")


if __name__ == "__main__":
    main()
