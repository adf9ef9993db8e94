"""Quantiles of the beta and Student's t distribution, for what must not load SciPy: it takes long.

To about ten digits: the incomplete beta function by its continued fraction, inverted by bisection.
"""

import math

TINY = 1e-300
MOST_STEPS = 10_000


def beta_quantile(p: float, a: float, b: float) -> float:
    """Return the quantile of a beta distribution.

    >>> round(beta_quantile(0.999, 4.5, 7), 6)
    0.808857
    """
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if beta_share(middle, a, b) < p else (low, middle)
    return middle


def student_quantile(p: float, freedom: float) -> float:
    """Return the quantile of Student's t distribution, for p from 0.5.

    >>> round(student_quantile(0.975, 23), 6)
    2.068658
    """
    x = beta_quantile(2 * (1 - p), freedom / 2, 0.5)
    return math.sqrt(freedom * (1 - x) / x)


def beta_share(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function.

    >>> round(beta_share(0.5, 2, 3), 6)
    0.6875
    """
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast below
        return 1 - beta_share(1 - x, b, a)
    if x <= 0:
        return 0.0
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    logarithm += a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) / a / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction by Lentz's method."""
    value, above, below = 1.0, 1.0, 0.0
    for step in range(1, MOST_STEPS):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        below = 1 / (1 + term * below or TINY)
        above = 1 + term / above or TINY
        value *= above * below
        if abs(above * below - 1) < 1e-16:
            break
    return value
