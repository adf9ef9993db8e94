"""What can be learnt about hidden gold from the scores of submissions.

A prober sends random predictions and adds them up with their scores as weights. Rounding the scores
hardly hinders this; fewer attempts and hidden scores do.
"""

import math

from postprocess.boards.advice.planning import TYPICAL, expect_interval


def blind_score(n_seen: int, n_pairs: int) -> float:
    """Return the score that a prober expects who only knows the scores of random predictions.

    Parameters
    ----------
    n_seen : int
        How many scores are seen.
    n_pairs : int
        The number of pairs of the part.

    Returns
    -------
    float
        The root of their ratio, at most 1.

    Examples
    --------
    >>> round(blind_score(8, 24), 3)
    0.577
    """
    return min(1.0, math.sqrt(n_seen / n_pairs))


def probed_score(score: float, n_seen: int, n_pairs: int) -> float:
    """Return the score that a system expects to reach by probing.

    Parameters
    ----------
    score : float
        What the system scores without it.
    n_seen, n_pairs : int
        As in `blind_score`.

    Returns
    -------
    float
        The root of score² + (1 − score²) · n_seen / (n_pairs − 1), at most 1.

    Examples
    --------
    >>> round(probed_score(0.671, 7, 24), 3)
    0.786
    """
    gained = (1 - score**2) * n_seen / (n_pairs - 1)
    return min(1.0, math.sqrt(score**2 + gained))


def is_probing_worthwhile(n_seen: int, n_pairs: int, score: float = TYPICAL) -> bool:
    """Return whether probing raises a score by more than half of its 95 % interval.

    >>> is_probing_worthwhile(9, 24), is_probing_worthwhile(9, 340), is_probing_worthwhile(200, 111)
    (False, False, True)
    """
    interval = expect_interval(score, n_pairs)
    return probed_score(score, n_seen, n_pairs) - score > (interval.high - interval.low) / 2
