"""Tests of all pairs at once equal those of two systems at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.boards.comparing import (
    Comparisons,
    Scores,
    compare_all,
    compare_with_one,
    place_systems,
)
from postprocess.scoring.inference import Difference, compare_averages
from postprocess.scoring.metrics import GWSC, SIMILARITIES
from postprocess.scoring.ranking import correct_by_holm, rank_systems, round_score
from tests.postprocess.boards.systems import draw_figures


def draw_systems(rng, n_systems, subtask, sizes=(40, 70)):
    """Return the figures by system and language; some systems are much better, two are equal."""
    found = {}
    for number in range(n_systems):
        quality = 6.0 if number % 3 == 0 else 0.2
        found[f"s{number:02}"] = [
            draw_figures(rng, n, subtask, quality=quality, seed=n) for n in sizes
        ]
    found["twin"] = found["s00"]
    return found


@pytest.mark.parametrize("subtask", GWSC)
@pytest.mark.parametrize("languages", [[0], [0, 1]])
def test_all_pairs_equal_two_systems_at_a_time(subtask, languages):
    systems = draw_systems(np.random.default_rng(3), 14, subtask)
    chosen = {name: [of[k] for k in languages] for name, of in systems.items()}
    means = {name: float(np.mean([one.score for one in of])) for name, of in chosen.items()}

    expected, tested = rank_systems(
        means, lambda first, second: compare_averages(chosen[first], chosen[second])
    )

    names = [one.name for one in expected]
    left_out = tuple(
        np.array([chosen[name][k].left_out for name in names]) / len(languages)
        for k in range(len(languages))
    )
    scores = np.array([means[name] for name in names])
    found = compare_all(Scores(scores, left_out))
    assert found.d == pytest.approx([one.difference.d for one in tested], abs=1e-12)
    assert found.p == pytest.approx([one.difference.p for one in tested], abs=1e-12, rel=1e-9)
    assert correct_by_holm(found.p) == pytest.approx([one.holm for one in tested], abs=1e-9)
    places = [
        (one.rank, one.is_shared, one.best, one.worst, one.group)
        for one in place_systems(scores, found)
    ]
    assert places == [(one.rank, one.is_shared, one.best, one.worst, one.group) for one in expected]
    assert max(one.group for one in expected) > 1  # else the test would prove little
    assert any(one.is_shared for one in expected)


def test_one_against_all_equals_two_systems_at_a_time():
    systems = draw_systems(np.random.default_rng(5), 6, SIMILARITIES)
    *names, baseline = systems

    def stack(chosen):
        left_out = tuple(
            np.array([systems[name][k].left_out for name in chosen]) / 2 for k in (0, 1)
        )
        scores = [np.mean([one.score for one in systems[name]]) for name in chosen]
        return Scores(np.array(scores), left_out)

    found = compare_with_one(stack(names), stack([baseline]))

    expected = [compare_averages(systems[name], systems[baseline]).p for name in names]
    assert found.p == pytest.approx(expected, abs=1e-12, rel=1e-9)
    assert found.p[0] == 1  # the twin


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_places_equal_those_of_rank_systems(thousandths, random):
    scores = sorted((one / 1000 for one in thousandths), reverse=True)
    names = [f"s{number:02}" for number in range(len(scores))]
    by_name = dict(zip(names, scores, strict=True))
    n_pairs = len(names) * (len(names) - 1) // 2
    p = [random.choice([0.0, 1.0, 0.0001]) for _ in range(n_pairs)]
    differences = iter(p)

    def compare(first, second):
        d = by_name[first] - by_name[second]
        return Difference(d, 0.1, next(differences))

    expected, tested = rank_systems(by_name, compare)

    d = np.array([one.difference.d for one in tested])
    found = place_systems(np.array(scores), Comparisons(d, np.array(p)))
    assert [tuple(one) for one in found] == [tuple(one[1:]) for one in expected]


def test_places_without_tests_have_ranks_only():
    found = place_systems(np.array([0.7604, 0.7541, 0.7539, 0.7]))

    assert [(one.rank, one.is_shared, one.group) for one in found] == [
        (1, False, None), (2, True, None), (2, True, None), (4, False, None),
    ]  # fmt: skip
    assert str(round_score(0.7541)) == str(round_score(0.7539))


def test_no_systems_have_no_places():
    assert place_systems(np.empty(0)) == []
