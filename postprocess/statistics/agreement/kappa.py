"""Nominal categories: the agreement of two judges, and the answer that most give."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

from postprocess.formats.tabular import fold
from postprocess.table.scale import RatingsError

Answer = TypeVar("Answer", bound=Hashable)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Compute Cohen's kappa: the agreement of two judges corrected for chance.

    `first` and `second`, shape (n_items,), are the categories that each judge assigned. Returns 1
    for full agreement, 0 for agreement by chance; NaN if there are no items, or if both judges
    assigned the same category to all.

    Raises
    ------
    RatingsError
        The judges have not judged equally many items.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales.

    Examples
    --------
    >>> round(cohen_kappa(["good", "good", "bad", "bad"], ["good", "good", "bad", "good"]), 6)
    0.5
    """
    if len(first) != len(second):
        raise RatingsError(f"two judges of {len(first)} and of {len(second)} items: not the same")
    if len({*first, *second}) < 2:
        return float("nan")
    n = len(first)
    n_first, n_second = Counter(first), Counter(second)
    observed = sum(one == two for one, two in zip(first, second, strict=True)) / n
    expected = sum(n_first[category] * n_second[category] for category in n_first) / n**2
    return (observed - expected) / (1 - expected)


def find_majority(answers: Sequence[Answer]) -> Answer | None:
    """Return the answer that is given most often; None for a tie, or without answers.

    Texts, and the texts of tuples, are equal if they differ in letter case, Unicode composition and
    spacing alone; the first of them is returned.

    >>> find_majority([1, 0, 1]), find_majority([1, 0])
    (1, None)
    >>> find_majority([("sea", "salt"), ("Sea ", "salt"), ("lake", "salt")])
    ('sea', 'salt')
    """
    keys = [tuple(map(_key, a)) if isinstance(a, tuple) else _key(a) for a in answers]
    most = Counter(keys).most_common(2)
    if not most or most[0][1] == most[-1][1] < len(keys):
        return None
    return answers[keys.index(most[0][0])]


def _key(answer: Hashable) -> Hashable:
    return fold(answer) if isinstance(answer, str) else answer
