"""Formulas of probing and planning equal published or simulated figures."""

import numpy as np
import pytest

from postprocess.boards.advice.planning import (
    expect_error,
    expect_error_of_difference,
    expect_interval,
    smallest_difference,
)
from postprocess.boards.advice.probing import (
    blind_score,
    is_probing_worthwhile,
    probed_at_most,
    probed_score,
)
from postprocess.scoring.figures import score_predictions
from postprocess.scoring.metrics import SIMILARITIES, Metric
from tests.postprocess.boards.advice.attacks import (
    ATTACKS,
    both_subtasks,
    draw_target,
    intervals,
    similarities,
)

RUNS = 12


@pytest.mark.parametrize(("n", "expected"), [(24, 0.19), (111, 0.086), (340, 0.049)])
def test_the_smallest_difference_that_can_be_proven(n, expected):
    assert smallest_difference(n) == pytest.approx(expected, abs=0.005 if n == 24 else 5e-4)


@pytest.mark.parametrize(("score", "n", "expected"), [(0.671, 24, 0.784), (0.603, 111, 0.636)])
def test_probing_raises_a_score_as_in_simulations_on_the_published_gold(score, n, expected):
    assert probed_score(score, 7, n) == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize(("n", "expected"), [(24, 0.563), (111, 0.263)])
def test_blind_probing_scores_as_in_simulations_on_the_published_gold(n, expected):
    assert blind_score(8, n) == pytest.approx(expected, abs=0.015)


def test_a_prober_reaches_the_score_of_the_formula():
    rng = np.random.default_rng(4)
    reached = []
    for _ in range(200):
        gold = rng.normal(size=24)
        probes = np.linalg.qr(rng.normal(size=(24, 8)))[0].T
        scores = np.array(
            [score_predictions(Metric.CHANGE, probe, gold).score.__round__(3) for probe in probes]
        )
        reached.append(score_predictions(Metric.CHANGE, scores @ probes, gold).score)

    assert np.mean(reached) == pytest.approx(blind_score(8, 24), abs=0.03)


@pytest.mark.parametrize("n_attempts", [9, 12, 20])
@pytest.mark.parametrize("n_pairs", [24, 111])
@pytest.mark.parametrize(
    ("attack", "n_scores"), ATTACKS.items(), ids=lambda value: getattr(value, "__name__", None)
)
def test_attacks_stay_below_what_the_site_promises(attack, n_scores, n_pairs, n_attempts):
    target = draw_target(n_pairs, 1)
    if attack is similarities:
        score = target.ask(SIMILARITIES, target.system)
    else:
        score = target.ask_changes(target.predicted)
    reached = [attack(target, n_attempts, np.random.default_rng(50 + run)) for run in range(RUNS)]

    n_seen = n_scores * n_attempts
    assert max(reached) <= probed_at_most(score, n_seen, n_pairs) + 0.0015
    # aimed probes find a little more
    assert np.median(reached) <= probed_score(score, n_seen, n_pairs) + 0.07


def test_an_attempt_at_both_subtasks_tells_as_much_as_two():
    target = draw_target(24, 1)
    score = target.ask_changes(target.predicted)

    reached = [both_subtasks(target, 12, np.random.default_rng(run)) for run in range(RUNS)]

    assert np.median(reached) > probed_at_most(score, 12, 24)
    assert probed_score(score, 2 * 12, 24) == 1


def test_scores_with_intervals_give_the_gold_away():
    """Twelve of them, which is why none is shown before the gold is public."""
    assert intervals(draw_target(24, 1), 12, np.random.default_rng(0)) > 0.99


def test_scores_that_are_probed_stay_below_1():
    assert (blind_score(99, 24), probed_score(0.9, 99, 24)) == (1, 1)
    assert [probed_at_most(0.6, n_seen, 24) for n_seen in (0, 23, 99)] == [0.6, 1, 1]
    assert is_probing_worthwhile(60, 24)
    assert not is_probing_worthwhile(1, 24)


def test_errors_fall_with_the_root_of_the_number_of_pairs():
    assert expect_error(0.65, 400) == pytest.approx(expect_error(0.65, 100) / 2)
    assert expect_error_of_difference(0.65, 1, 100) == pytest.approx(0, abs=1e-9)
    wide, narrow = expect_interval(0.65, 24), expect_interval(0.65, 340)
    assert wide.low < narrow.low < 0.65 < narrow.high < wide.high
