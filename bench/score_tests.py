"""Measure how often two equally good systems are found to differ, and how often intervals hold.

    .venv/bin/python bench/score_tests.py

Gold and predictions are normal, or of Student's distribution with 5 degrees of freedom. The two
systems are drawn alike, so that each p below 0.05 is a false alarm; 5 % are expected.
"""

import numpy as np
from reporting import read_options, say, table

from postprocess.boards.advice.planning import expect_error, expect_error_of_difference
from postprocess.scoring.figures import Figures, score_predictions
from postprocess.scoring.inference import compare_scores, score_interval
from postprocess.scoring.metrics import Metric
from postprocess.statistics.evaluation import (
    harmonic_correlation,
    uncentered_pearson,
)

SCORE, CORRELATION = 0.65, 0.8
COLUMNS = ("subtask", "pairs", "distribution", "p < 0.05", "interval holds", "SD ÷ formula",
           "SD of difference ÷ formula")  # fmt: skip
DISTRIBUTIONS = {"normal": None, "t, 5 df": 5}


def draw(
    n: int, n_contexts: int, freedom: int | None, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return gold and the predictions of two systems, shape (n_pairs, n_contexts).

    Each correlates with the gold by `SCORE`, and with the other by `CORRELATION`.
    """
    covariance = np.array([[1, SCORE, SCORE], [SCORE, 1, CORRELATION], [SCORE, CORRELATION, 1]])
    drawn = rng.multivariate_normal(np.zeros(3), covariance, size=(n, n_contexts))
    if freedom:
        drawn *= np.sqrt(freedom / rng.chisquare(freedom, size=(n, n_contexts, 1)))
    gold, first, second = np.moveaxis(drawn, 2, 0)
    return gold, first, second


def measure(subtask: int, n: int, name: str, n_studies: int, seed: int) -> tuple[str, ...]:
    """Return a row: false alarms, coverage, and errors compared with the formulas for planning."""
    rng = np.random.default_rng([seed, subtask, n])
    alarms, holds, scores, differences = [], [], [], []
    truth = true_score(subtask, DISTRIBUTIONS[name], rng)
    for _ in range(n_studies):
        gold, *both = draw(n, subtask, DISTRIBUTIONS[name], rng)
        first, second = (score(subtask, one, gold) for one in both)
        comparison = compare_scores(first, second)
        alarms.append(comparison.p < 0.05)
        interval = score_interval(first, Metric.HARMONIC if subtask == 2 else Metric.CHANGE)
        holds.append(interval is not None and interval.low <= truth <= interval.high)
        scores.append(first.score)
        differences.append(comparison.d)
    n_numbers = n * subtask
    formula = expect_error_of_difference(SCORE, CORRELATION, n_numbers)
    return (
        str(subtask),
        str(n),
        name,
        write_share(alarms),
        write_share(holds),
        f"{np.std(scores) / expect_error(SCORE, n_numbers):.2f}",
        f"{np.std(differences) / formula:.2f}",
    )


def score(subtask: int, predicted: np.ndarray, gold: np.ndarray) -> Figures:
    """Return the figures of predictions."""
    if subtask == 1:
        return score_predictions(Metric.CHANGE, predicted[:, 0], gold[:, 0])
    return score_predictions(Metric.HARMONIC, predicted, gold)


def true_score(subtask: int, freedom: int | None, rng: np.random.Generator) -> float:
    """Return the score on very many pairs."""
    gold, predicted, _ = draw(400_000, 1, freedom, rng)
    measure_of = uncentered_pearson if subtask == 1 else harmonic_correlation
    return measure_of(predicted.ravel(), gold.ravel())


def write_share(outcomes: list[bool]) -> str:
    """Return a share in per cent with its standard error."""
    share = float(np.mean(outcomes))
    error = (share * (1 - share) / len(outcomes)) ** 0.5
    return f"{100 * share:.1f} % ({100 * error:.1f})"


def main() -> None:
    """Simulate, and print a table."""
    given = read_options(__doc__, studies=2000, pairs=[24, 111], seed=20200312)
    rows = [
        measure(subtask, n, name, given.studies, given.seed)
        for subtask in (1, 2)
        for n in given.pairs
        for name in DISTRIBUTIONS
    ]
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
