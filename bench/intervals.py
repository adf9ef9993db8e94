"""Measure the coverage of the 95 % intervals that Cosima prints.

    .venv/bin/python bench/intervals.py
    .venv/bin/python bench/intervals.py --only agreement methods --studies 20

Studies are simulated from a population whose figure is known, or computed from a very large
sample of it. Coverage is the percentage of studies whose interval contains that figure, with its
simulation standard error; below and above are the shares of intervals that lie below and above
the figure. "out" is the share of figures outside their own interval.
*scores* and *agreement-steps* are those after calibration and filtering, by `step_intervals.py`.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from reporting import read_options, say, table
from scipy import stats
from step_intervals import cover_agreement_with_steps, cover_scores
from studies import Crowd, Floats, Shape, Tally, draw_similarities, rate, simulate, tabulate

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
from postprocess.statistics.resampling import Resample, weigh_items

SEED = 20200312
MANY_ITEMS = 40_000  # of all questionnaires together, to approximate infinitely many
MANY_GROUPS = 1_000  # of other annotators, to approximate infinitely many
N_RESAMPLES = 300
Rng = np.random.Generator
SHAPES = (Shape(1, 20), Shape(1, 50), Shape(6, 20), Shape(14, 16), Shape(34, 20))
BLOCKS = (Shape(2, 20, 3), Shape(2, 20, 5), Shape(2, 20))
COMPARED = {
    figure: TABLE_FIGURES[figure]
    for figure in ("human", "pairwise_spearman", "alpha_ordinal", "icc_average")
}
COLUMNS = ("interval", "figure", "studies", "coverage %", "SE", "below", "above", "out", "width")


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
        endless = agreement_table(ratings, by=(), figures=figures, n_resamples=0, n_splits=20)
        name = f"agreement, {shape}, {resample}"
        tallies = [Tally(name, figure, endless[figure][0]) for figure in figures]
        for _ in range(n_studies):
            table = agreement_table(
                simulate(shape, rng, crowd), by=(), figures=figures, n_resamples=n_resamples,
                resample=resample,
            )  # fmt: skip
            for tally in tallies:
                tally.add(*(table[f"{tally.figure}{end}"][0] for end in ("", "_low", "_high")))
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
            reliability = change_reliability(
                simulate(shape, rng, crowd), rng=rng, n_splits=100, n_resamples=N_RESAMPLES,
                resample=resample,
            )  # fmt: skip
            for method, tally in tallies.items():
                tally.add(*reliability.loc[method, ["reliability", "low", "high"]])
            ceiling.add(*reliability.loc["uncentered", ["ceiling", "ceiling_low", "ceiling_high"]])
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
            Tally(f"confounds, {n_pairs} pairs", f"{outcome}, {name}", estimate)
            for outcome, name, estimate in truths[["outcome", "confound", "estimate"]].to_numpy()
        ]
        for _ in range(n_studies):
            associations = _confound(n_pairs, crowd, rng, n_resamples=N_RESAMPLES)
            ends = associations[["estimate", "low", "high"]].to_numpy(dtype=float)
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
