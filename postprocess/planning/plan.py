"""Planning: the number of annotators needed to detect a change, and their cost."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from postprocess.planning.experiments import Sample, draw_experiments
from postprocess.planning.question import Costs, PlanError, Question
from postprocess.planning.rating_models import RatingModels
from postprocess.statistics.change import change_tests

CURVE_COLUMNS = ("change", "n", "power", "power_low", "power_high", "false_alarms")
PLAN_COLUMNS = (
    "change", "n", "n_low", "n_high", "power", "power_low", "power_high", "false_alarms",
    "ratings", "annotators", "sittings", "hours", "cost",
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """The answer to a question: a row for each change in `table`, for each n in `curve`."""

    table: pd.DataFrame
    curve: pd.DataFrame
    question: Question


def plan_study(
    models: RatingModels, question: Question, costs: Costs, *, rng: np.random.Generator
) -> Plan:
    """Find the number of annotators per context that detects changes, and the cost.

    Parameters
    ----------
    models : RatingModels
        The distribution of ratings, from a pilot or from published figures.
    question, costs : Question, Costs
        The changes to detect and the required power; the size of the study and the cost of an hour.
    rng : Generator
        The same state gives the same plan.

    Returns
    -------
    Plan
        `table`, one row per change: change (published points); n, the number of annotators per
        context from which on the estimated power is reached, NaN if not within `question.most`;
        n_low and n_high, the same for the ends of the power's 95 % interval; power with its
        interval, and false_alarms, at n; and the columns of `cost_of` for n.
        `curve`: see `power_curve`.

    Raises
    ------
    PlanError
        The scale has no room for a change in any context.

    References
    ----------
    Mollan et al. (2020) recommend simulation for the power of the rank-sum test with few
    observations.
    """
    curve = pd.concat(
        [power_curve(models, change, question, rng=rng) for change in question.changes],
        ignore_index=True,
    )
    rows = [
        _answer(curve[curve["change"] == change], change, question, costs)
        for change in question.changes
    ]
    return Plan(pd.DataFrame(rows, columns=list(PLAN_COLUMNS)), curve, question)


def power_curve(
    models: RatingModels, change: float, question: Question, *, rng: np.random.Generator
) -> pd.DataFrame:
    """Simulate the power to detect a change for every number of annotators.

    An experiment draws a context at random, shifts its distribution up or down by the change if the
    scale has room, draws n ratings from both distributions, and tests them as published. A change
    is detected if p < alpha in the right direction. The experiments with n + 1 annotators add one
    annotator to those with n, so that the curve is smooth.

    Returns
    -------
    DataFrame, shape (most - 1, 6)
        change; n from 2; power, with the ends of its 95 % interval (Wilson's) for the error of
        the simulation; false_alarms, the share of pairs without a change that have p < alpha,
        in either direction: about twice alpha, since the published p is one-sided.

    Raises
    ------
    PlanError
        The scale has no room for a change in any context.
    """
    drawn = draw_experiments(models, change, question.simulations, rng=rng)
    if drawn is None:
        raise PlanError(f"no context has room on the scale for a change of {change:g}")
    samples = [Sample(p) for p in (drawn.before, drawn.after, drawn.before)]
    first, second, unchanged = (sample.counts for sample in samples)
    rows = []
    for n in range(1, question.most + 1):
        for sample in samples:
            sample.add_rating(rng)
        if n == 1:
            continue
        power = drawn.share_found(first, second, question.alpha)
        low, high = wilson_interval(round(power * question.simulations), question.simulations)
        false_alarms = float((change_tests(first, unchanged).pvalues < question.alpha).mean())
        rows.append((change, n, power, low, high, false_alarms))
    return pd.DataFrame(rows, columns=list(CURVE_COLUMNS))


def wilson_interval(n_found: int, n_tried: int) -> tuple[float, float]:
    """Return Wilson's (1927) 95 % interval of a share.

    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    low, high = binomtest(n_found, n_tried).proportion_ci(method="wilson")
    return float(low), float(high)


def cost_of(n: int, costs: Costs) -> dict[str, float]:
    """Compute the size and cost of a study with n annotators per context whose ratings are used.

    Returns ratings, all that are paid; annotators, the smallest possible number, since no annotator
    rates both contexts of a pair; sittings (one annotator doing one questionnaire); hours; and cost
    with the fee, to the cent, NaN without `pay_per_hour`.

    >>> cost_of(10, Costs(pairs=100, seconds_per_item=36, pay_per_hour=9.0, fee_percent=20))
    {'ratings': 2000, 'annotators': 20, 'sittings': 100, 'hours': 20.0, 'cost': 216.0}
    """
    n_paid = math.ceil(round(n / (1 - costs.left_out_percent / 100), 9))
    n_ratings = 2 * costs.pairs * n_paid  # each pair is in questionnaires A and B
    n_sittings = 2 * math.ceil(costs.pairs / costs.block_size) * n_paid
    hours = n_ratings * costs.seconds_per_item / 3600 + n_sittings * costs.minutes_before / 60
    pay = math.nan if costs.pay_per_hour is None else hours * costs.pay_per_hour
    return {
        "ratings": n_ratings,
        "annotators": 2 * n_paid,
        "sittings": n_sittings,
        "hours": round(hours, 2),
        "cost": round(pay * (1 + costs.fee_percent / 100), 2),
    }


def _answer(
    curve: pd.DataFrame, change: float, question: Question, costs: Costs
) -> dict[str, float]:
    needed = {
        name: _first_from(curve["n"].tolist(), curve[column].tolist(), question.power)
        for name, column in (("n", "power"), ("n_low", "power_high"), ("n_high", "power_low"))
    }
    row = {"change": change, **{name: math.nan if n is None else n for name, n in needed.items()}}
    if needed["n"] is None:
        return row
    at_n = curve[curve["n"] == needed["n"]].iloc[0]
    figures = ("power", "power_low", "power_high", "false_alarms")
    return {**row, **{name: float(at_n[name]) for name in figures}, **cost_of(needed["n"], costs)}


def _first_from(sizes: Sequence[int], shares: Iterable[float], wanted: float) -> int | None:
    """Return the size from which on all shares reach the wanted one, or None."""
    first = None
    for n, share in zip(sizes, shares, strict=True):
        if share < wanted:
            first = None
        elif first is None:
            first = n
    return first
