"""The documented steps of post-processing in plain loops over groups, with SciPy.

Written from docs/postprocessing.md, and slow: what `post_process` returns is checked against it.
"""

import math
from itertools import combinations
from statistics import mean, stdev

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, mannwhitneyu, spearmanr

from postprocess.steps.recipe import Recipe

NOISE = 9  # decimals to which differences are rounded before they are compared with a bound
FEWEST_COMMON = 3
CONSTANT = "constant ratings"

Table = dict[str, dict[tuple[int, int], float]]  # ratings by annotator and (pair, context)
Account = dict[str, float | str]


class NothingLeft(Exception):
    """A context has no ratings after a step."""


def post_process_naively(
    ratings: pd.DataFrame, recipe: Recipe, n_pairs: int
) -> tuple[dict[tuple[str, str], Account], pd.DataFrame]:
    """Return the figures of each (group, annotator) that counts, and the scores of scored pairs."""
    counted = leave_out_marked(ratings, recipe)
    refuse_unrated({item for table in counted.values() for one in table.values() for item in one},
                   n_pairs)  # fmt: skip
    accounts: dict[tuple[str, str], Account] = {}
    used: dict[tuple[int, int], list[float]] = {}
    excused: set[tuple[int, int]] = set()
    for group, table in counted.items():
        calibrated, figures = calibrate(table, recipe)
        judged = judge(calibrated, recipe)
        for annotator in table:
            accounts[group, annotator] = figures[annotator] | judged[annotator]
            if judged[annotator]["decision"] == "kept":
                for item, rating in calibrated[annotator].items():
                    used.setdefault(item, []).append(rating)
            elif judged[annotator]["reason"] == CONSTANT and recipe.filtering.constant_from:
                excused |= calibrated[annotator].keys()
    scored = [pair for pair in range(1, n_pairs + 1) if {(pair, 1), (pair, 2)} <= used.keys()]
    refuse_unrated(used.keys() | excused if scored else set(used), n_pairs)
    return accounts, score(used, recipe, scored)


def leave_out_marked(ratings: pd.DataFrame, recipe: Recipe) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for row in ratings.itertuples():
        kept = row.mark == "" or (
            row.mark == "rejected" and not recipe.exclusion.rejected_engagement
        )
        if kept:
            of_group = tables.setdefault(row.group, {})
            of_group.setdefault(row.annotator, {})[row.pair, row.context] = float(row.rating)
    return tables


def refuse_unrated(rated: set[tuple[int, int]], n_pairs: int) -> None:
    if rated != {(pair, context) for pair in range(1, n_pairs + 1) for context in (1, 2)}:
        raise NothingLeft


def calibrate(table: Table, recipe: Recipe) -> tuple[Table, dict[str, Account]]:
    section, scale = recipe.calibration, recipe.scale
    means = {annotator: mean(given.values()) for annotator, given in table.items()}
    group_mean = mean(means.values())
    calibrated: Table = {}
    figures: dict[str, Account] = {}
    for annotator, given in table.items():
        deviation = means[annotator] - group_mean
        shift = 0.0
        if section.enabled and round(abs(deviation), NOISE) > section.threshold:
            shift = -math.copysign(section.step, deviation)
        moved = {
            item: round(min(max(rating + shift, scale.minimum), scale.maximum), NOISE)
            for item, rating in given.items()
        }
        calibrated[annotator] = moved if shift else given
        cut = [item for item in given if shift and moved[item] != round(given[item] + shift, NOISE)]
        figures[annotator] = {
            "mean": means[annotator],
            "group_mean": group_mean,
            "shift": shift,
            "n_clipped": len(cut),
        }
    return calibrated, figures


def judge(table: Table, recipe: Recipe) -> dict[str, Account]:
    section = recipe.filtering
    rhos = {frozenset(two): correlate(table, *two) for two in combinations(table, 2)}
    rho = {one: mean_defined(r for two, r in rhos.items() if one in two) for one in table}
    defined = [r for r in rho.values() if not math.isnan(r)]
    bound = mean(defined) - section.k * stdev(defined) if len(defined) > 1 else math.nan
    gain = {
        one: mean_defined(r for two, r in rhos.items() if one not in two)
        - mean_defined(rhos.values())
        for one in table
    }
    gainers = find_gainers(gain, section.gain_share) if section.gain_share else set()
    judged: dict[str, Account] = {}
    for one in table:
        reason, decision = "", "kept"
        if math.isnan(rho[one]):
            reason, decision = explain_undefined(table, one, len(defined), section.constant_from)
        elif round(rho[one] - bound, NOISE) < 0:
            reason, decision = "below the correlation bound", "left out"
        elif section.minimum_rho is not None and round(rho[one] - section.minimum_rho, NOISE) < 0:
            reason, decision = "below the minimum rho", "left out"
        elif one in gainers:
            reason, decision = "gain in agreement", "left out"
        if not section.enabled:
            reason, decision = "", "kept"
        judged[one] = {"rho": rho[one], "bound": bound, "gain": gain[one]}
        judged[one] |= {"reason": reason, "decision": decision}
    return judged


def correlate(table: Table, one: str, other: str) -> float:
    common = sorted(table[one].keys() & table[other].keys())
    x, y = ([table[annotator][item] for item in common] for annotator in (one, other))
    if len(common) < FEWEST_COMMON or len(set(x)) == 1 or len(set(y)) == 1:
        return math.nan
    return float(spearmanr(x, y).statistic)


def mean_defined(numbers) -> float:
    defined = [number for number in numbers if not math.isnan(number)]
    return mean(defined) if defined else math.nan


def find_gainers(gain: dict[str, float], share: float) -> set[str]:
    """Return the annotators without whom agreement rises most; of ties all or none."""
    n_allowed = math.floor(share * len(gain) + 10**-NOISE)
    rounded = {one: round(g, NOISE) for one, g in gain.items() if not math.isnan(g)}
    return {
        one
        for one, g in rounded.items()
        if g > 0 and sum(other >= g for other in rounded.values()) <= n_allowed
    }


def explain_undefined(
    table: Table, one: str, n_defined: int, constant_from: int | None
) -> tuple[str, str]:
    is_constant = len(set(table[one].values())) == 1
    is_long = is_constant and constant_from is not None and len(table[one]) >= constant_from
    n_common = [len(table[one].keys() & table[other].keys()) for other in table if other != one]
    if max(n_common, default=0) < FEWEST_COMMON and not is_long:
        return "agreement undefined: too few common contexts", "kept"
    if is_long or (is_constant and n_defined >= 2):
        return CONSTANT, "left out"
    return "agreement undefined: constant ratings", "kept"


def score(
    used: dict[tuple[int, int], list[float]], recipe: Recipe, pairs: list[int]
) -> pd.DataFrame:
    scale, to = recipe.scale, recipe.rescaling
    factor = (to.maximum - to.minimum) / (scale.maximum - scale.minimum)
    rows = []
    for pair in pairs:
        first, second = used[pair, 1], used[pair, 2]
        row = {}
        for number, given in enumerate((first, second), 1):
            points = [to.minimum + (rating - scale.minimum) * factor for rating in given]
            row |= {f"n{number}": len(points), f"sim{number}": np.mean(points)}
            row[f"stdev{number}"] = np.std(points, ddof=1) if len(points) > 1 else math.nan
            row[f"median{number}"] = np.median(points)
        row["change"] = row["sim2"] - row["sim1"]
        row |= compare_contexts(first, second)
        rows.append(row)
    scores = pd.DataFrame(rows, index=pd.Index(pairs, name="pair"))
    return scores.assign(qvalue=false_discovery_control(scores["pvalue_two_sided"]))


def compare_contexts(first: list[float], second: list[float]) -> dict[str, float]:
    higher = sum(b > a for a in first for b in second)
    lower = sum(b < a for a in first for b in second)
    delta = (higher - lower) / (len(first) * len(second))
    if len({*first, *second}) == 1:
        return {"pvalue": 1.0, "pvalue_two_sided": 1.0, "delta": delta}
    asymptotic = mannwhitneyu(first, second, alternative="two-sided", method="asymptotic").pvalue
    is_untied = len({*first, *second}) == len(first) + len(second)
    is_exact = is_untied and min(len(first), len(second)) <= 8
    exact = mannwhitneyu(first, second, alternative="two-sided", method="exact").pvalue
    return {
        "pvalue": asymptotic / 2,
        "pvalue_two_sided": exact if is_exact else asymptotic,
        "delta": delta,
    }
