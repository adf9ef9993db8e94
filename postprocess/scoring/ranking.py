"""Ranks, rank ranges and groups of the systems in a board's column."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

import numpy as np

from postprocess.scoring.inference import Difference
from postprocess.types import Floats

LEVEL = 0.05
SHOWN = Decimal("0.001")
NEAR_TIE = 1e-6  # thousandths; nearer to a half, decimal arithmetic decides


class Places(StrEnum):
    """How equal scores share places: 1, 1, 3; 1, 1, 2; or no places at all."""

    COMPETITION = "competition"
    DENSE = "dense"
    NONE = "none"


class Ranked(NamedTuple):
    """A system's place.

    `rank`: among the scores as shown; `is_shared`: others have the same; `best` and `worst`: the
    rank range, from the differences that are significant; `group`: from 1. Between groups the
    order is proven, within one it is not.
    """

    name: str
    rank: int
    is_shared: bool
    best: int
    worst: int
    group: int


class TestedPair(NamedTuple):
    """The comparison of two systems; `holm` is p after Holm's correction over the column."""

    first: str
    second: str
    difference: Difference
    holm: float


def round_score(score: float) -> Decimal:
    """Return a score as it is shown: three decimals, halves away from zero.

    >>> round_score(0.6125), round_score(-0.0005)
    (Decimal('0.613'), Decimal('-0.001'))
    """
    return Decimal(repr(score)).quantize(SHOWN, ROUND_HALF_UP)


def round_all(figures: Sequence[float]) -> tuple[float, ...]:
    """Return many figures with three decimals, rounded as `round_score` does.

    >>> round_all([0.6125, -0.0001, 0.1234, -1.0])
    (0.613, 0.0, 0.123, -1.0)
    """
    given = np.asarray(figures, dtype=float)
    thousandths = np.abs(given) * 1000
    rounded = np.copysign(np.floor(thousandths + 0.5), given) / 1000 + 0
    is_tie = np.abs(thousandths % 1 - 0.5) < NEAR_TIE
    rounded[is_tie] = [float(round_score(x) + 0) for x in given[is_tie].tolist()]
    return tuple(rounded.tolist())


def correct_by_holm(p: Sequence[float]) -> Floats:
    """Return p-values corrected for their number. Source: Holm (1979).

    >>> correct_by_holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    raised = values[order] * np.arange(len(values), 0, -1)
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(np.maximum.accumulate(raised), 1)
    return corrected


def rank_systems(
    scores: Mapping[str, float], compare: Callable[[str, str], Difference]
) -> tuple[list[Ranked], list[TestedPair]]:
    """Rank systems by their scores as shown, and test all pairs.

    Equal scores share the better rank, in the order of names. `compare` tests two systems by name.
    """
    shown = {name: round_score(score) for name, score in scores.items()}
    names = sorted(scores, key=lambda name: (-shown[name], name))
    both = list(combinations(names, 2))
    differences = [compare(*pair) for pair in both]
    corrected = correct_by_holm([test.p for test in differences]).tolist()
    tested = [
        TestedPair(*pair, difference, holm)
        for pair, difference, holm in zip(both, differences, corrected, strict=True)
    ]
    better = {
        (pair.first, pair.second) if pair.difference.d > 0 else (pair.second, pair.first)
        for pair in tested
        if pair.holm < LEVEL
    }
    return list(_place(names, shown, better)), tested


def _place(
    names: Sequence[str], shown: Mapping[str, Decimal], better: set[tuple[str, str]]
) -> Iterator[Ranked]:
    group = 1
    for number, name in enumerate(names):
        above, below = names[:number], names[number:]
        if number and all((first, second) in better for first in above for second in below):
            group += 1
        equal = [system for system in names if shown[system] == shown[name]]
        yield Ranked(
            name,
            rank=1 + sum(shown[system] > shown[name] for system in names),
            is_shared=len(equal) > 1,
            best=1 + sum((system, name) in better for system in names),
            worst=len(names) - sum((name, system) in better for system in names),
            group=group,
        )
