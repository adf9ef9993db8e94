"""What can be learnt about hidden gold from the scores of submissions.

A prober sends random predictions and adds them up with their scores as weights. Rounding the scores
hardly hinders this; fewer attempts and hidden scores do. Each score shown counts: in subtask 2 a
prediction that differs between the two contexts alone tells of a change as much as one in
subtask 1.
"""

import math

from postprocess.boards.advice.planning import TYPICAL, expect_interval
from postprocess.scoring.quantiles import beta_quantile

MOST = 0.999  # of random probers; probes that are aimed reach a little more


def blind_score(n_seen: int, n_pairs: int) -> float:
    """Return the score to expect of a prober who only knows the scores of random predictions.

    >>> round(blind_score(8, 24), 3)
    0.577
    """
    return probed_score(0, n_seen, n_pairs + 1)


def probed_score(score: float, n_seen: int, n_pairs: int) -> float:
    """Return the score that a system expects to reach by probing.

    Parameters
    ----------
    score : float
        What the system scores without it.
    n_seen : int
        How many scores are seen, of both subtasks.
    n_pairs : int
        The number of pairs of the part.

    Returns
    -------
    float
        The root of score² + (1 − score²) · n_seen / (n_pairs − 1), at most 1.

    Examples
    --------
    >>> round(probed_score(0.671, 7, 24), 3)
    0.786
    """
    return math.sqrt(score**2 + (1 - score**2) * min(1.0, n_seen / (n_pairs - 1)))


def probed_at_most(score: float, n_seen: int, n_pairs: int) -> float:
    """Return the score that 999 of 1,000 probers stay below, given as for `probed_score`.

    The squared length of what random probes find of the gold has a beta distribution.

    >>> [round(probed_at_most(0.671, n_seen, 24), 3) for n_seen in (9, 12, 23)]
    [0.946, 0.97, 1.0]
    """
    n_left = n_pairs - 1 - n_seen
    share = beta_quantile(MOST, n_seen / 2, n_left / 2) if n_seen > 0 < n_left else n_left <= 0
    return math.sqrt(score**2 + (1 - score**2) * float(share))


def is_probing_worthwhile(n_seen: int, n_pairs: int, score: float = TYPICAL) -> bool:
    """Return whether probing can raise a score by more than half of its 95 % interval.

    >>> is_probing_worthwhile(5, 24), is_probing_worthwhile(9, 340), is_probing_worthwhile(200, 111)
    (False, False, True)
    """
    interval = expect_interval(score, n_pairs)
    return probed_at_most(score, n_seen, n_pairs) - score > (interval.high - interval.low) / 2
