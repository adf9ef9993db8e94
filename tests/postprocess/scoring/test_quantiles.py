"""Quantiles without SciPy, compared with those of SciPy."""

import pytest
from scipy import stats

from postprocess.scoring.quantiles import beta_quantile, student_quantile


@pytest.mark.parametrize("freedom", [1, 2, 7.3, 9, 110, 339, 9999])
@pytest.mark.parametrize("p", [0.6, 0.95, 0.975])
def test_quantiles_of_students_t_equal_scipys(p, freedom):
    assert student_quantile(p, freedom) == pytest.approx(stats.t.ppf(p, freedom), rel=1e-10)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (4.5, 7), (10, 55), (1, 5000), (60, 0.5)])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.999])
def test_quantiles_of_the_beta_distribution_equal_scipys(p, a, b):
    assert beta_quantile(p, a, b) == pytest.approx(stats.beta.ppf(p, a, b), rel=1e-10)
