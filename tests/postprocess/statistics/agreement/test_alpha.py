import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from postprocess.statistics.agreement.alpha import krippendorff_alpha
from postprocess.statistics.agreement.group_arrays import stack_groups
from tests.postprocess.statistics.agreement.tables import alpha_of

NAN = float("nan")
LEVELS = ("interval", "ordinal")
# Krippendorff (2011), section C: four observers, twelve units
PUBLISHED = pd.DataFrame(
    {
        "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        "C": [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    }
)
QUARTERS = st.none() | st.integers(0, 24).map(lambda n: n / 4)
COLUMNS = st.lists(st.lists(QUARTERS, min_size=6, max_size=6), min_size=2, max_size=4)


def table(columns):
    return pd.DataFrame({f"A{i}": column for i, column in enumerate(columns)}, dtype=float)


def test_krippendorff_alpha_equals_the_published_figures():
    assert alpha_of(PUBLISHED) == pytest.approx(0.849, abs=5e-4)
    assert alpha_of(PUBLISHED, level="ordinal") == pytest.approx(0.815, abs=5e-4)


def test_krippendorff_alpha_by_hand():
    # observed: (1 + 1)/2 over two items = 0.5 · 1; expected over 0 1 1 2: 2 · SS 2 / 3 = 4/3
    ratings = pd.DataFrame({"A": [0, 1], "B": [1, 2]})

    assert alpha_of(ratings) == pytest.approx(1 - 1 / (4 / 3))


def test_ordinal_alpha_by_hand():
    # 0 0 | 0 5 | 5 6: three 0, two 5, one 6, and Krippendorff's distances are
    # 0–5: 3 + 2 - (3 + 2)/2 = 2.5; 5–6: 2 + 1 - 3/2 = 1.5; 0–6: 3 + 2 + 1 - 4/2 = 4
    # observed: (0 + 2.5² + 1.5²) · 2 / 6; expected: 2 · (6 · 2.5² + 2 · 1.5² + 3 · 4²) / (6 · 5)
    ratings = pd.DataFrame({"A": [0, 0, 5], "B": [0, 5, 6]})

    observed, expected = 8.5 / 3, 2 * (37.5 + 4.5 + 48) / 30
    assert alpha_of(ratings, level="ordinal") == pytest.approx(1 - observed / expected)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "columns", [[[1, 1], [1, 1]], [[1, NAN], [NAN, 2]], [[NAN], [NAN]], [[], []], [[0.1], [0.1]]]
)
def test_krippendorff_alpha_is_undefined_without_differences_or_common_items(columns, level):
    assert np.isnan(alpha_of(table(columns), level=level))


@pytest.mark.parametrize("level", LEVELS)
def test_krippendorff_alpha_of_equal_fractions_is_undefined(level):
    # a million ratings of 25/3, the mean of which floats need not give back
    ratings = pd.DataFrame(np.full((100_000, 10), 25 / 3))

    assert np.isnan(alpha_of(ratings, level=level))


@pytest.mark.parametrize("level", LEVELS)
@settings(deadline=None)
@given(columns=COLUMNS)
def test_krippendorff_alpha_equals_the_package(level, columns):
    ratings = table(columns)
    counted = ratings[ratings.notna().sum(axis="columns") >= 2].to_numpy()
    assume(len(np.unique(counted[~np.isnan(counted)])) > 1)

    expected = krippendorff.alpha(ratings.to_numpy().T, level_of_measurement=level)

    assert alpha_of(ratings, level=level) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(COLUMNS, st.integers(-3, 3))
def test_alpha_does_not_depend_on_names_rows_or_constant(columns, constant):
    ratings = table(columns)
    other = (ratings.iloc[::-1, ::-1] + constant).reset_index(drop=True)

    for level in LEVELS:
        first = alpha_of(ratings, level=level)
        assert alpha_of(other, level=level) == pytest.approx(first, nan_ok=True)


@settings(deadline=None)
@given(COLUMNS, st.sampled_from([0.25, 10 / 6, 100]))
def test_alpha_does_not_depend_on_the_unit_and_ordinal_alpha_on_the_distances(columns, unit):
    ratings = table(columns)

    interval, ordinal = (alpha_of(ratings, level=level) for level in LEVELS)

    assert alpha_of(ratings * unit) == pytest.approx(interval, nan_ok=True)
    stretched = alpha_of(ratings**3, level="ordinal")
    assert stretched == pytest.approx(ordinal, nan_ok=True)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_slices_equals_that_of_all_their_items(simulated, level):
    ratings = simulated()
    slices = (ratings["pos"] == "V").to_numpy().astype(np.int64)

    alphas = krippendorff_alpha(stack_groups(ratings, slices), 2, level=level)

    for number, alpha in enumerate(alphas):
        wide = ratings[slices == number].pivot(
            index=["pair", "context"], columns=["group", "annotator"], values="rating"
        )
        assert alpha == pytest.approx(alpha_of(wide, level=level), abs=1e-12)
