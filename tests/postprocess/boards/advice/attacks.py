"""Attacks on hidden gold by submissions.

Each attack knows the gold by nothing but the figures that a phase shows of its attempts, and ends
with a prediction, whose score it returns. The first attempt is a system, and later ones probe.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import rankdata
from scipy.stats import t as student

from postprocess.scoring.figures import score_once, score_predictions
from postprocess.scoring.inference import score_interval
from postprocess.scoring.metrics import CHANGES, SIMILARITIES, Metric, Track
from postprocess.scoring.ranking import round_score

Floats = NDArray[np.float64]
STARTS = 6  # of the search for gold that agrees with scores and intervals


class Target(NamedTuple):
    """Hidden gold, and what a system predicts of it; both of shape (n_pairs, 2)."""

    gold: Floats
    system: Floats

    @property
    def changes(self) -> Floats:
        """The gold of subtask 1."""
        return self.gold[:, 1] - self.gold[:, 0]

    @property
    def predicted(self) -> Floats:
        """The system's prediction in subtask 1."""
        return self.system[:, 1] - self.system[:, 0]

    def ask(self, subtask: Track, prediction: Floats) -> float:
        """Return the score that a page shows."""
        gold = self.changes if subtask is CHANGES else self.gold
        return float(round_score(score_once(subtask.metric, prediction, gold).score))

    def ask_changes(self, prediction: Floats) -> float:
        """Return the shown score of subtask 1."""
        return self.ask(CHANGES, prediction)

    def ask_interval(self, prediction: Floats) -> tuple[float, float] | None:
        """Return the ends that pages showed beside a score of subtask 1 until they were removed."""
        found = score_interval(
            score_predictions(Metric.CHANGE, prediction, self.changes), Metric.CHANGE
        )
        return found and (float(round_score(found.low)), float(round_score(found.high)))


def dense(target: Target, n: int, rng: np.random.Generator) -> float:
    """Send random orthogonal predictions, and add them up with their scores as weights."""
    return target.ask_changes(find_changes(target, list(make_probes(target.predicted, n, rng))))


def two_entries(target: Target, n: int, rng: np.random.Generator) -> float:
    """Probe two changes at a time, those that the system expects to be large first."""
    order, probes = np.argsort(-np.abs(target.predicted)), [target.predicted]
    for first, second in np.resize(order, (n - 1, 2)):
        probes.append(np.zeros(len(order)))
        probes[-1][[first, second]] = 1, rng.choice([-1, 1])
    return target.ask_changes(find_changes(target, probes))


def grid(target: Target, n: int, rng: np.random.Generator) -> float:
    """Read two changes from each score: possible values are known, and so is the gold's length.

    The second change has such a weight that the score's digits tell both, if values are few.
    """
    changes, length = target.changes, float(np.linalg.norm(target.changes))
    values = np.unique(changes)
    weight = len(values) / 2
    order = np.resize(np.argsort(-np.abs(target.predicted)), (n - 1, 2))
    sums = values[:, None] + weight * values
    estimate = target.ask_changes(target.predicted) * length * normalise(target.predicted)
    for first, second in order:
        probe = np.zeros(len(changes))
        probe[[first, second]] = 1, weight
        seen = target.ask_changes(probe) * length * np.hypot(1, weight)
        weights = np.exp(-(((sums - seen) / (0.0004 * length * np.hypot(1, weight))) ** 2))
        weights /= weights.sum()
        estimate[first] = weights.sum(axis=1) @ values
        estimate[second] = weights.sum(axis=0) @ values
    return target.ask_changes(estimate)


def both_subtasks(target: Target, n: int, rng: np.random.Generator) -> float:
    """Learn a further part of the changes from the score of subtask 2 in each attempt.

    There a system of the pairs' means keeps correlations positive, and a probe differs between the
    contexts alone. The ratio of changes to scores is known, such as from other data.
    """
    probes = list(make_probes(target.predicted, 2 * n - 1, rng))
    ratio = np.linalg.norm(target.changes) / np.linalg.norm(target.gold - target.gold.mean())
    means = normalise(np.repeat(rankdata(target.system.mean(axis=1)), 2))
    rest = target.ask(SIMILARITIES, means.reshape(-1, 2))
    asked, seen = probes[:n], [target.ask_changes(probe) for probe in probes[:n]]
    for probe in probes[n:]:
        sent = means + np.column_stack([-probe, probe]).ravel() / np.sqrt(2)
        score = target.ask(SIMILARITIES, sent.reshape(-1, 2))
        if score == 0:
            continue
        direction = normalise(normalise(sent) + normalise(rankdata(sent)))
        share = direction @ means
        contexts = (direction - share * means).reshape(-1, 2)
        differences = contexts[:, 1] - contexts[:, 0]
        size = np.linalg.norm(differences)
        asked.append(differences / size)
        seen.append((score - share * rest) * 2 / (size * ratio))
    return target.ask_changes(np.linalg.lstsq(np.array(asked), np.array(seen), rcond=0.05)[0])


def similarities(target: Target, n: int, rng: np.random.Generator) -> float:
    """Learn the scores of subtask 2, of which pairs' means are the larger part."""
    system = normalise(rankdata(target.system))
    probes = [normalise(np.repeat(rng.normal(size=len(target.gold)), 2)) for _ in range(n - 1)]
    sent = [system, *(system + probe for probe in probes)]
    seen = [target.ask(SIMILARITIES, one.reshape(-1, 2)) for one in sent]
    told = [(normalise(normalise(one) + normalise(rankdata(one))), score)
            for one, score in zip(sent, seen, strict=True) if score > 0]  # fmt: skip
    directions, scores = (np.array(one) for one in zip(*told, strict=True))
    found = np.linalg.lstsq(directions, scores, rcond=None)[0]
    return target.ask(SIMILARITIES, found.reshape(-1, 2))


def intervals(target: Target, n: int, rng: np.random.Generator) -> float:
    """Search gold that agrees with scores and intervals, as pages showed both."""
    probes = np.array([probe + 0.3 * rng.normal(size=len(probe)) / np.sqrt(len(probe))
                       for probe in make_probes(target.predicted, n, rng)])  # fmt: skip
    scores = np.array([target.ask_changes(probe) for probe in probes])
    ends = [target.ask_interval(probe) for probe in probes]
    reach = float(student.ppf(0.975, probes.shape[1] - 1))
    errors = np.array([np.ptp(np.arctanh(one)) / 2 / reach if one else np.nan for one in ends])

    def compare(gold: Floats) -> Floats:
        found, error = measure(probes, gold)
        apart = np.concatenate([found - scores, np.nan_to_num(error - errors)])
        return np.append(apart * 1000, gold @ gold - 1)

    start = np.linalg.lstsq(np.array([normalise(one, 0) for one in probes]), scores, rcond=None)[0]
    rest = np.sqrt(max(0.0, 1 - start @ start))
    found = [
        least_squares(compare, start + rest * normalise(rng.normal(size=len(start)), 0), method="lm"
                      if len(start) <= 2 * n else "trf", max_nfev=400)
        for _ in range(STARTS)
    ]  # fmt: skip
    return target.ask_changes(min(found, key=lambda one: one.cost).x)


def measure(probes: Floats, gold: Floats) -> tuple[Floats, Floats]:
    """Return scores of subtask 1 and the jackknife's errors of their artanh."""
    products, squares, of_gold = probes * gold, probes**2, gold**2
    score = products.sum(axis=1) / np.sqrt(squares.sum(axis=1) * of_gold.sum())
    rest = squares.sum(axis=1, keepdims=True) - squares
    left_out = (products.sum(axis=1, keepdims=True) - products) / np.sqrt(
        rest * (of_gold.sum() - of_gold)
    )
    spread = np.arctanh(np.clip(left_out, -0.999, 0.999))
    return score, np.sqrt((len(gold) - 1) * spread.var(axis=1))


def make_probes(system: Floats, n: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield a system and random predictions, all orthogonal, as many as there are dimensions."""
    drawn = np.column_stack([system, rng.normal(size=(len(system), min(n, len(system)) - 1))])
    probes = np.linalg.qr(drawn)[0].T
    probes[0] *= np.sign(probes[0] @ system)
    yield from probes


def find_changes(target: Target, probes: list[Floats]) -> Floats:
    """Return the changes that scores of subtask 1 tell."""
    scores = np.array([target.ask_changes(probe) for probe in probes])
    return np.linalg.lstsq(np.array([normalise(one, 0) for one in probes]), scores, rcond=None)[0]


def normalise(values: Floats, centre: float | None = None) -> Floats:
    """Return values of length 1, ravelled, around their mean or a centre."""
    apart = np.ravel(values) - (np.mean(values) if centre is None else centre)
    return apart / np.linalg.norm(apart)


Attack = Callable[[Target, int, np.random.Generator], float]
ATTACKS: dict[Attack, int] = {  # scores that are shown of an attempt
    dense: 1, two_entries: 1, grid: 1, both_subtasks: 2, similarities: 1,
}  # fmt: skip


def draw_target(n_pairs: int, seed: int) -> Target:
    """Draw gold and a system of score .65 or so."""
    rng = np.random.default_rng(seed)
    means, changes = rng.normal(5, 1.7, size=n_pairs), rng.normal(0, 1.8, size=n_pairs)
    gold = means[:, None] + np.outer(changes, [-0.5, 0.5])
    return Target(gold, gold + rng.normal(0, [1.5], size=gold.shape))
