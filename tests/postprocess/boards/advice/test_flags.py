import numpy as np

from postprocess.boards.advice.flags import Flag, find_dissimilar, find_similar, flag_predictions


def flags(predicted, **baselines):
    return [flag for flag, _ in flag_predictions(predicted, baselines)]


def test_half_of_the_predictions_may_be_0():
    assert flags([0, 0, 1, 2]) == []
    assert flags([0, 0, 0, 2]) == [Flag.MANY_ZEROS]
    assert flags(np.zeros((3, 2))) == [Flag.MANY_ZEROS]


def test_a_probe_of_weighted_rows_is_flagged():
    assert flags([1, 20403, 20403**2]) == [Flag.WIDE_RANGE]
    assert flags([1e-3, -1e3]) == []
    assert flags([1e-3, -1.1e3]) == [Flag.WIDE_RANGE]


def test_predictions_of_a_baseline_are_flagged_by_name():
    distance = [[-3.0, -4.0], [-1.0, -9.0]]

    assert flag_predictions(distance, {"form": [[1, 2], [3, 4]], "distance": distance}) == [
        (Flag.BASELINE, "distance")
    ]
    assert flags([1.0, 2.0], distance=distance) == []  # of another part


def test_random_probes_of_a_team_are_unalike_and_versions_of_a_system_are_not():
    rng = np.random.default_rng(0)
    system = rng.normal(size=111)
    versions = {"1": system, "2": system + 0.3 * rng.normal(size=111), "3": 5 * system}
    probe = rng.normal(size=111)

    assert find_dissimilar(versions) == []
    assert {one[:2] for one in find_dissimilar({**versions, "4": probe, "5": np.ones(111)})} == {
        ("1", "4"), ("2", "4"), ("3", "4"),
    }  # fmt: skip


def test_teams_with_the_same_predictions_on_another_scale_are_alike():
    rng = np.random.default_rng(0)
    system = rng.normal(size=(24, 2))
    teams = {"a": system, "b": 1e-200 * (system + 7), "c": -system, "d": rng.normal(size=(24, 2))}

    assert [one[:2] for one in find_similar(teams)] == [("a", "b")]
    assert find_similar({"a": system}) == []
