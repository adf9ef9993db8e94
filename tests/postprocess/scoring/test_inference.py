"""Scores, intervals, differences and ranks equal figures that were computed elsewhere."""

import io
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from postprocess.baselines.texts import predict_form
from postprocess.formats.files import render_gold
from postprocess.formats.stimuli import load_stimuli
from postprocess.formats.tokens import locate_targets
from postprocess.scoring import figures
from postprocess.scoring.figures import Reason, score_predictions
from postprocess.scoring.inference import (
    Measured,
    average_measured,
    average_scores,
    compare_scores,
    score_interval,
    standard_error,
)
from postprocess.scoring.metrics import Metric
from postprocess.scoring.ranking import correct_by_holm, rank_systems, round_score
from postprocess.statistics.evaluation import harmonic_correlation, uncentered_pearson
from tests.machine import COSIMLEX
from tests.postprocess.boards.systems import read_tsv
from tests.postprocess.scoring.published import needs_shared

EXACT = 1e-6
FIVE = {"changes": [0.1, 0.2, -0.1, 0.3, 0.4], "scores": [(5, 6), (2, 4), (4, 3), (5, 8), (5, 9)]}


@pytest.fixture(scope="module")
def systems():
    """Return the figures of both subtasks by language and system."""
    found = {}
    for language in ("fi", "sl"):
        dataset = read_tsv(COSIMLEX / f"cosimlex_{language}.csv")
        scores = dataset[["sim1", "sim2"]].assign(change=dataset["sim2"] - dataset["sim1"])
        gold = pd.read_csv(io.StringIO(render_gold(scores)), sep="\t")
        similarities, changes = gold.iloc[:, :2].to_numpy(), gold["change"].to_numpy()
        pairs = load_stimuli(COSIMLEX / f"data_{language}.tsv").pairs
        contexts = [(pair.context1, pair.context2) for pair in pairs]
        published = read_tsv(COSIMLEX / f"baseline_mbert/results_subtask2_{language}.tsv")
        made = {
            "wave": similarities + 3 * np.sin(np.arange(1, 2 * len(gold) + 1)).reshape(-1, 2),
            "distance": np.array(
                [[-locate_targets(one).distance for one in both] for both in contexts]
            ),
            "form": predict_form(pairs),
            "length": np.array([[-len(one.text) for one in both] for both in contexts]),
            "mbert": published.round(4 if language == "fi" else 9).to_numpy(),
        }
        for name, predicted in made.items():
            found[language, name] = (
                score_predictions(Metric.CHANGE, predicted[:, 1] - predicted[:, 0], changes),
                score_predictions(Metric.HARMONIC, predicted, similarities),
            )
    return found


@needs_shared
def test_five_pairs_by_hand():
    gold = read_tsv(COSIMLEX / "practice_kit/gold_sl.tsv")

    changes = score_predictions(Metric.CHANGE, FIVE["changes"], gold["change"])
    scores = score_predictions(Metric.HARMONIC, np.array(FIVE["scores"]) / 10, gold.iloc[:, :2])

    assert changes.score == pytest.approx(0.875871, abs=EXACT)
    left_out = [0.889200, 0.857500, 0.900505, 0.942660, 0.731283]
    assert changes.left_out == pytest.approx(left_out, abs=EXACT)
    assert standard_error(changes.left_out) == pytest.approx(0.143696, abs=EXACT)
    assert scores[:3] == pytest.approx((0.906948, 0.903053, 0.910877), abs=EXACT)
    assert standard_error(scores.left_out) == pytest.approx(0.021905, abs=EXACT)
    assert score_interval(changes, Metric.CHANGE) is None  # fewer than ten pairs


@needs_shared
@pytest.mark.parametrize(
    ("language", "name", "subtask", "expected"),
    [
        ("fi", "mbert", 1, (0.671244, 0.419850, 0.826977)),
        ("fi", "mbert", 2, (0.289459, 0, 0.632328, 0.239223, 0.366403)),
        ("sl", "mbert", 1, (0.603413, 0.481417, 0.702474)),
        ("sl", "mbert", 2, (0.515949, 0.407032, 0.610399, 0.506981, 0.525240)),
        ("fi", "wave", 1, (0.723754, 0.530753, 0.845392)),
        ("fi", "wave", 2, (0.790178, 0.650591, 0.878119)),
        ("sl", "wave", 1, (0.818898, 0.746710, 0.872020)),
        ("sl", "wave", 2, (0.786462, 0.730651, 0.831832)),
        ("fi", "form", 1, (0.149936, -0.276108, 0.526733)),
        ("sl", "form", 1, (0.417654, 0.187018, 0.604652)),
        ("sl", "form", 2, (0.168953, 0.015364, 0.314753)),
        ("fi", "length", 1, (0.278418, -0.125111, 0.602908)),
        ("fi", "length", 2, (0.101916, 0, 0.401158, 0.133415, 0.082450)),
        ("fi", "distance", 2, (0.091113, 0, 0.311249, 0.100760, 0.083152)),
        ("sl", "length", 1, (-0.071173, -0.261898, 0.124903)),
    ],
)
def test_scores_and_intervals(systems, language, name, subtask, expected):
    found = systems[language, name][subtask - 1]

    interval = score_interval(found, Metric.HARMONIC if subtask == 2 else Metric.CHANGE)
    assert (found.score, *interval) == pytest.approx(expected[:3], abs=EXACT)
    if len(expected) > 3:
        assert (found.pearson, found.spearman) == pytest.approx(expected[3:], abs=EXACT)


@needs_shared
def test_a_score_of_0_has_a_reason_and_no_interval(systems):
    found = systems["sl", "length"][1]

    assert (found.score, found.reason) == (0, Reason.NOT_POSITIVE)
    assert (found.pearson, found.spearman) == pytest.approx((-0.072077, -0.072670), abs=EXACT)
    assert score_interval(found, Metric.HARMONIC) is None


@needs_shared
def test_differences_ranks_and_groups(systems):
    of_part = {name: systems["sl", name][0] for name in ("wave", "distance", "length")}

    ranked, tested = rank_systems(
        {name: one.score for name, one in of_part.items()},
        lambda first, second: compare_scores(of_part[first], of_part[second]),
    )

    p = {(one.first, one.second): one.difference.p for one in tested}
    assert p["distance", "length"] == pytest.approx(0.082255, abs=EXACT)
    assert [(one.name, one.rank, one.best, one.worst, one.group) for one in ranked] == [
        ("wave", 1, 1, 1, 1), ("distance", 2, 2, 3, 2), ("length", 3, 2, 3, 2),
    ]  # fmt: skip
    finnish = {name: systems["fi", name][0] for name in ("wave", "distance", "mbert")}
    against_wave = compare_scores(finnish["wave"], finnish["mbert"])
    against_distance = compare_scores(finnish["mbert"], finnish["distance"])
    assert against_wave.p == pytest.approx(0.569, abs=5e-4)
    assert (against_distance.d, against_distance.p) == pytest.approx((0.313804, 0.0697), abs=5e-5)


@needs_shared
@pytest.mark.parametrize(
    ("subtask", "tested_pairs", "ranks"),
    [
        (1,
         {("form", "distance"): (0.0290409, 0.0580818),
          ("wave", "form"): (0.000201387, 0.000805548),
          ("form", "length"): (0.000785785, 0.00235736)},
         [("wave", 1, 1, 1), ("form", 2, 3, 2), ("distance", 2, 4, 2), ("length", 3, 4, 2)]),
        (2,
         {("form", "length"): (0.0284716, 0.0854149)},
         [("wave", 1, 1, 1), ("form", 2, 4, 2), ("distance", 2, 4, 2), ("length", 2, 4, 2)]),
    ],
)  # fmt: skip
def test_the_baseline_of_the_forms_is_ranked(systems, subtask, tested_pairs, ranks):
    names = ("wave", "form", "distance", "length")
    of_part = {name: systems["sl", name][subtask - 1] for name in names}

    ranked, tested = rank_systems(
        {name: one.score for name, one in of_part.items()},
        lambda first, second: compare_scores(of_part[first], of_part[second]),
    )

    found = {(one.first, one.second): (one.difference.p, one.holm) for one in tested}
    for pair, expected in tested_pairs.items():
        assert found[pair] == pytest.approx(expected, rel=1e-4)
    assert [(one.name, one.best, one.worst, one.group) for one in ranked] == ranks
    if subtask == 1:
        d = compare_scores(of_part["form"], of_part["distance"]).d
        assert d == pytest.approx(0.295158, abs=EXACT)


@needs_shared
def test_averages_over_languages(systems):
    wave = average_scores(
        [systems[language, "wave"][0] for language in ("fi", "sl")], Metric.CHANGE
    )
    distance = average_scores(
        [systems[language, "distance"][0] for language in ("fi", "sl")], Metric.CHANGE
    )

    assert (wave.score, *wave.interval) == pytest.approx((0.771326, 0.671616, 0.843593), abs=EXACT)
    form = average_scores(
        [systems[language, "form"][0] for language in ("fi", "sl")], Metric.CHANGE
    )
    assert (form.score, *form.interval) == pytest.approx((0.283795, 0.035984, 0.498726), abs=EXACT)
    ends = (0.239968, 0.046494, 0.416088)
    assert (distance.score, *distance.interval) == pytest.approx(ends, abs=EXACT)
    assert distance.error == pytest.approx(0.092429, abs=EXACT)
    assert distance.freedom == pytest.approx(40.05, abs=0.005)


def test_no_interval_of_an_average_of_subtask_2_is_below_0():
    parts = [Measured(0.1, 0.1, 24), Measured(0.05, 0.05, 111)]

    plain, harmonic = (
        average_measured(parts, metric) for metric in (Metric.CHANGE, Metric.HARMONIC)
    )

    assert plain.interval.low < 0
    assert harmonic.interval == (0.0, plain.interval.high)
    assert harmonic[0] == plain[0]


NUMBERS = st.integers(-9, 9)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=2, max_size=12))
def test_each_pair_is_left_out_as_if_it_did_not_exist(rows):
    table = np.array(rows, dtype=float)
    predicted, gold = table[:, :2], table[:, 2:]

    found = score_predictions(Metric.HARMONIC, predicted, gold)
    changes = score_predictions(Metric.CHANGE, predicted[:, 0], gold[:, 0])

    for number in range(len(rows)):
        rest = np.arange(len(rows)) != number
        x, y = predicted[rest], gold[rest]
        expected = harmonic_correlation(x.ravel(), y.ravel()) if len(x) else 0
        assert found.left_out[number] == pytest.approx(expected, abs=1e-9)
        alone = uncentered_pearson(x[:, 0], y[:, 0]) if len(x) else 0
        expected = 0 if math.isnan(alone) else alone
        assert changes.left_out[number] == pytest.approx(expected, abs=1e-9)


def test_many_pairs_are_left_out_in_groups(monkeypatch):
    monkeypatch.setattr(figures, "MOST_GROUPS", 7)
    rng = np.random.default_rng(1)
    gold = rng.normal(size=(30, 2)).round(1)
    predicted = (gold + rng.normal(size=gold.shape)).round(1)

    found = score_predictions(Metric.HARMONIC, predicted, gold)

    assert len(found.left_out) == 7
    for group in range(7):
        rest = np.arange(30) % 7 != group
        expected = harmonic_correlation(predicted[rest].ravel(), gold[rest].ravel())
        assert found.left_out[group] == pytest.approx(expected, abs=1e-12)
    assert found.spearman == pytest.approx(spearmanr(predicted.ravel(), gold.ravel()).statistic)


@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1])
def test_constant_predictions_score_0_for_a_reason(constant):
    gold = np.arange(24.0).reshape(12, 2) ** 2
    found = score_predictions(Metric.HARMONIC, np.full((12, 2), constant), gold)

    assert (found.score, found.reason, found.left_out.any()) == (0, Reason.CONSTANT, False)
    assert score_interval(found, Metric.HARMONIC) is None
    changes = score_predictions(Metric.CHANGE, np.full(12, constant), gold[:, 0])
    assert changes.reason is (Reason.NONE if constant else Reason.CONSTANT)
    assert (changes.score == 0) == (constant == 0)  # the same change for all pairs is no 0


def test_perfect_predictions_have_no_interval():
    gold = np.arange(24.0).reshape(12, 2) ** 2

    assert (
        score_interval(score_predictions(Metric.HARMONIC, 2 * gold, gold), Metric.HARMONIC) is None
    )
    same = score_predictions(Metric.CHANGE, gold[:, 0], gold[:, 0])
    assert compare_scores(same, same).p == 1
    assert compare_scores(same, score_predictions(Metric.CHANGE, -gold[:, 0], gold[:, 0])).p == 0


def test_equal_scores_share_the_better_rank_by_name():
    gold = np.arange(24.0).reshape(12, 2) ** 2
    one = score_predictions(Metric.HARMONIC, gold, gold)
    scores = {"b": 0.80049, "a": 0.80031, "c": 0.7}

    ranked, _ = rank_systems(scores, lambda first, second: compare_scores(one, one))

    assert [(r.name, r.rank, r.is_shared) for r in ranked] == [
        ("a", 1, True), ("b", 1, True), ("c", 3, False),
    ]  # fmt: skip
    assert [(r.best, r.worst, r.group) for r in ranked] == [(1, 3, 1)] * 3


def test_holm_and_rounding():
    assert correct_by_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [str(round_score(x)) for x in (0.0005, -0.0005, 1, 0.67149)] == [
        "0.001", "-0.001", "1.000", "0.671",
    ]  # fmt: skip


@pytest.mark.parametrize("wrong", [[1, 2], [1, 2, float("nan")], [[1, 2, 3]]])
def test_numbers_that_do_not_match_are_refused(wrong):
    with pytest.raises(ValueError, match=r"do not match|must be finite"):
        score_predictions(Metric.CHANGE, wrong, [1, 2, 3])
