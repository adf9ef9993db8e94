import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from postprocess.steps.single_steps import calibrate_ratings
from postprocess.table.ratings import Scale


def test_calibrate_ratings_shifts_a_deviating_annotator(ratings_of):
    # means 2, 2, 5 → group mean 3: only C deviates by more than 1; 6 is at the upper end, but C
    # is moved down, and 0 is at the lower end and stays
    ratings = ratings_of(A=[1, 2, 3, 2], B=[2, 2, 2, 2], C=[6, 5, 6, 3])

    calibration = calibrate_ratings(ratings, Scale())

    moved = [1, 2, 3, 2, 2, 2, 2, 2, 5, 4, 5, 2]
    expected = ratings.assign(rating=np.array(moved, dtype=np.int32))
    pd.testing.assert_frame_equal(calibration.ratings, expected)
    assert calibration.annotators.to_dict("records")[2] == {
        "group": "1",
        "annotator": "C",
        "mean": 5.0,
        "group_mean": 3.0,
        "deviation": 2.0,
        "shift": -1.0,
        "n_clipped": 0,
    }


def test_calibrate_ratings_leaves_ratings_at_the_end_of_the_scale(ratings_of):
    # means 1, 4, 4 → group mean 3: A is moved up, and the 6 stays
    ratings = ratings_of(A=[6, 0, 0, 0, 0, 0], B=[4] * 6, C=[4] * 6)

    calibration = calibrate_ratings(ratings, Scale())

    assert calibration.ratings["rating"].tolist()[:6] == [6, 1, 1, 1, 1, 1]
    annotators = calibration.annotators.set_index("annotator")
    assert annotators["shift"].to_dict() == {"A": 1.0, "B": 0.0, "C": 0.0}
    assert annotators["n_clipped"].to_dict() == {"A": 1, "B": 0, "C": 0}


def test_calibrate_ratings_counts_ratings_that_moved_by_less(ratings_of):
    # means 2.5, 5, 5 → A is moved up: 5.5 becomes 6, 6 stays, 5 moves by the whole step
    ratings = ratings_of(A=[6, 5.5, 5, 0, 0, 0, 1], B=[5] * 7, C=[5] * 7)

    calibration = calibrate_ratings(ratings, Scale(step=0.5))

    assert calibration.ratings["rating"].tolist()[:7] == [6, 6, 6, 1, 1, 1, 2]
    assert calibration.annotators["n_clipped"].tolist() == [2, 0, 0]


def test_calibrate_ratings_leaves_a_deviation_of_exactly_the_threshold(ratings_of):
    exact = ratings_of(A=[2], B=[4])
    noisy = ratings_of(A=[0.1], B=[2.1], C=[1.1])  # 2.1 - 1.1 is a little above 1

    assert calibrate_ratings(exact, Scale()).annotators["shift"].tolist() == [0, 0]
    assert calibrate_ratings(noisy, Scale(step=0.1)).annotators["shift"].tolist() == [0, 0, 0]


def test_calibrate_ratings_judges_each_group_by_itself(ratings_of):
    low, high = ratings_of(A=[0], B=[1]), ratings_of("2", A=[6], D=[5])

    calibration = calibrate_ratings(pd.concat([low, high], ignore_index=True), Scale())

    assert calibration.annotators["group_mean"].tolist() == [0.5, 0.5, 5.5, 5.5]
    assert calibration.ratings["rating"].tolist() == [0, 1, 6, 5]


def test_calibrate_ratings_applies_threshold_and_step(ratings_of):
    ratings = ratings_of(A=[2], B=[3])

    calibration = calibrate_ratings(ratings, Scale(), threshold=0.25, step=0.5)

    assert calibration.ratings["rating"].tolist() == [2.5, 2.5]


def test_calibrate_ratings_finds_groups_and_leaves_its_input(ratings_of):
    ratings = ratings_of(A=[0], B=[3], C=[3]).drop(columns="group")
    before = ratings.copy()

    calibration = calibrate_ratings(ratings, Scale())

    assert calibration.ratings["group"].tolist() == ["1", "1", "1"]
    assert calibration.ratings["rating"].tolist() == [1, 3, 3]
    pd.testing.assert_frame_equal(ratings, before)


TABLES = st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=2, max_size=5)


def frame(columns):
    rows = [(p, 1, f"A{a}", x, "1") for a, xs in enumerate(columns) for p, x in enumerate(xs, 1)]
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])


@given(TABLES)
def test_calibrate_ratings_mirrors_a_mirrored_scale(columns):
    ratings = frame(columns)
    mirrored = ratings.assign(rating=6 - ratings["rating"])

    calibrated = calibrate_ratings(ratings, Scale()).ratings
    other = calibrate_ratings(mirrored, Scale()).ratings

    assert (6 - calibrated["rating"]).tolist() == other["rating"].tolist()
    assert pd.api.types.is_integer_dtype(calibrated["rating"])
    assert calibrated["rating"].between(0, 6).all()


def test_calibrate_ratings_moves_onto_the_ratings_of_others(ratings_of):
    # 2.3 - 1 is a little less than 1.3 in floating point, and must be a tie all the same
    ratings = ratings_of(A=[2.3], B=[1.3], C=[0.0], D=[0.0])

    moved = calibrate_ratings(ratings, Scale(step=0.1)).ratings["rating"].tolist()

    assert moved == [1.3, 1.3, 0.0, 0.0]
