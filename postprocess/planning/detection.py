"""The smallest change that a given number of annotators detects."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from postprocess.planning.experiments import draw_experiments
from postprocess.planning.plan import cost_of, wilson_interval
from postprocess.planning.question import Costs, PlanError, Question
from postprocess.planning.rating_models import RatingModels

STEPS = 100  # of the published scale; changes are interpolated between them
DETECTABLE_COLUMNS = (
    "n", "change", "change_low", "change_high", "ratings", "annotators", "sittings", "hours",
    "cost",
)  # fmt: skip


def detectable_changes(
    models: RatingModels,
    sizes: Sequence[int],
    question: Question,
    costs: Costs,
    *,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Find the smallest change that given numbers of annotators detect, and the cost.

    `sizes` are numbers of annotators per context; of `question`, `changes` and `most` are not used.
    Returns a row for each number: n, the columns of `least_detectable_change`, and those of
    `cost_of`. Raises PlanError for a number below 2.

    >>> models = RatingModels(np.full((1, 7), 1 / 7), 10 / 6)
    >>> table = detectable_changes(models, [10, 20], Question(simulations=1000), Costs(pairs=10),
    ...     rng=np.random.default_rng(1))
    >>> table["change"].round(1).tolist()
    [3.5, 2.5]
    """
    rows = []
    for n in sizes:
        detectable = least_detectable_change(models, n, question, rng=rng)
        rows.append({"n": n, **detectable, **cost_of(n, costs)})
    return pd.DataFrame(rows, columns=list(DETECTABLE_COLUMNS))


def least_detectable_change(
    models: RatingModels, n: int, question: Question, *, rng: np.random.Generator
) -> dict[str, float]:
    """Find the smallest change that n annotators per context detect with the required power.

    Increasing changes are simulated, in steps of a hundredth of the published scale, until the
    power is reached; the change is interpolated between the last two steps. Returns change, in
    published points, NaN if even the largest possible change is missed more often; and change_low
    and change_high, the same for the ends of the power's 95 % interval. Raises PlanError for fewer
    than 2 annotators.
    """
    if n < 2:
        raise PlanError(f"2 annotators per context or more are needed, got {n}")
    step = models.width * (models.probabilities.shape[1] - 1) / STEPS
    curve = [(0.0, 0.0, 0.0, 0.0)]
    for number in range(1, STEPS):
        drawn = draw_experiments(models, number * step, question.simulations, rng=rng)
        if drawn is None:
            break
        first, second = (rng.multinomial(n, p) for p in (drawn.before, drawn.after))
        power = drawn.share_found(first, second, question.alpha)
        low, high = wilson_interval(round(power * question.simulations), question.simulations)
        curve.append((number * step, power, low, high))
        if low >= question.power:
            break
    changes, powers, lows, highs = zip(*curve, strict=True)
    return {
        "change": _first_reached(changes, powers, question.power),
        "change_low": _first_reached(changes, highs, question.power),
        "change_high": _first_reached(changes, lows, question.power),
    }


def detectable_curve(
    models: RatingModels, sizes: Sequence[int], question: Question, *, rng: np.random.Generator
) -> dict[int, float]:
    """Find the smallest change that each of several numbers of annotators detects.

    As `least_detectable_change`, but all numbers share the drawn contexts, which takes about as
    long as for two of them. Returns the change in published points by number, NaN if even the
    largest possible change is missed more often. Raises PlanError for a number below 2.
    """
    if min(sizes) < 2:
        raise PlanError(f"2 annotators per context or more are needed, got {min(sizes)}")
    step = models.width * (models.probabilities.shape[1] - 1) / STEPS
    curves = {n: [(0.0, 0.0)] for n in sizes}
    missing = set(sizes)
    for number in range(1, STEPS):
        drawn = draw_experiments(models, number * step, question.simulations, rng=rng)
        if drawn is None or not missing:
            break
        for n in sorted(missing):
            first, second = (rng.multinomial(n, p) for p in (drawn.before, drawn.after))
            power = drawn.share_found(first, second, question.alpha)
            curves[n].append((number * step, power))
            if power >= question.power:
                missing.discard(n)
    reached = {}
    for n, curve in curves.items():
        changes, powers = zip(*curve, strict=True)
        reached[n] = _first_reached(changes, powers, question.power)
    return reached


def _first_reached(changes: Sequence[float], shares: Sequence[float], power: float) -> float:
    """Interpolate the change at which a share is reached; NaN if it never is."""
    reached = next((place for place, share in enumerate(shares) if share >= power), None)
    if reached is None or reached == 0:
        return math.nan
    before, after = shares[reached - 1], shares[reached]
    part = (power - before) / (after - before)
    return changes[reached - 1] + part * (changes[reached] - changes[reached - 1])
