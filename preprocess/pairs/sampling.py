"""Sampling the pairs of a study from a list such as SimLex-999, by quotas.

SimLex-999 has 666 pairs of nouns, 222 of verbs and 111 of adjectives: shares of 2/3, 2/9 and 1/9.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.errors import UserError


class QuotaError(UserError):
    """Quotas that contradict each other or the list."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """What the sample is to be like.

    `number` of pairs; `shares` of parts of speech, as the list names them, with a sum of 1;
    `n_bins`: how many equal bins of concreteness each part of speech is spread over;
    `least_score`: pairs below it are left out; `antonyms`: the share of antonyms, None for any.
    """

    number: int
    shares: Mapping[str, Fraction] = field(default_factory=dict)
    n_bins: int = 1
    least_score: float | None = None
    antonyms: Fraction | None = None


def sample_pairs(
    pairs: pd.DataFrame, quotas: Quotas, *, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw pairs by quotas; return them in the order of the list, and wanted against reached.

    Parameters
    ----------
    pairs : DataFrame
        The list, a row per pair, with the columns that the quotas need: pos, score, concreteness
        (numbers) and antonym (bool).
    quotas : Quotas
        What the sample is to be like. Where a cell has too few pairs, others of the same part of
        speech replace them.
    rng : Generator
        The source of chance.

    Returns
    -------
    sampled : DataFrame
        Rows of the list.
    reached : DataFrame
        A row per cell: pos, bin (from 1, the least concrete), antonym, wanted and reached.

    Raises
    ------
    QuotaError
        If shares do not add up to 1, or a part of speech has too few pairs.
    """
    if quotas.least_score is not None:
        pairs = pairs[pairs["score"] >= quotas.least_score]
    if quotas.shares and sum(quotas.shares.values()) != 1:
        total = sum(quotas.shares.values(), Fraction(0))
        raise QuotaError(f"the shares of parts of speech add up to {total}, not to 1")
    shares = quotas.shares or {"": Fraction(1)}
    kinds = _classify(pairs, quotas)
    n_of_cell: dict[_Cell, int] = {}
    chosen: list[int] = []
    for pos, n_pairs in zip(shares, _divide(quotas.number, list(shares.values())), strict=True):
        cells, parts = zip(*_list_cells(pos, quotas), strict=True)
        of_pos = dict(zip(cells, _divide(n_pairs, list(parts)), strict=True))
        shuffled = kinds.loc[rng.permutation(kinds.index[kinds["pos"] == pos])]
        chosen += _draw(shuffled, of_pos)
        n_of_cell |= of_pos
    drawn = kinds.loc[chosen]
    rows = [(*cell, n, int(cell.has(drawn).sum())) for cell, n in n_of_cell.items()]
    reached = pd.DataFrame(rows, columns=["pos", "bin", "antonym", "wanted", "reached"])
    return pairs.loc[sorted(chosen)], reached


class _Cell(NamedTuple):
    """A part of speech, a bin of concreteness, and whether the words are antonyms (None: any)."""

    pos: str
    bin: int
    antonym: bool | None

    def has(self, kinds: pd.DataFrame) -> "pd.Series[bool]":
        """Return whether each pair belongs to the cell."""
        is_in = (kinds["pos"] == self.pos) & (kinds["bin"] == self.bin)
        return is_in if self.antonym is None else is_in & (kinds["antonym"] == self.antonym)


def _draw(shuffled: pd.DataFrame, wanted: Mapping[_Cell, int]) -> list[int]:
    """Return the pairs of a part of speech that come first in each cell, then any others."""
    n_wanted = sum(wanted.values())
    if len(shuffled) < n_wanted:
        (pos,) = {cell.pos for cell in wanted}
        name = f"pairs of {pos}" if pos else "pairs"
        raise QuotaError(f"the list has {len(shuffled):,} {name}, and {n_wanted:,} are wanted")
    taken: list[int] = []
    for cell, n in wanted.items():
        taken += shuffled.index[cell.has(shuffled)][:n].tolist()
    rest = shuffled.index[~shuffled.index.isin(taken)]
    return taken + rest[: n_wanted - len(taken)].tolist()


def _list_cells(pos: str, quotas: Quotas) -> Iterator[tuple[_Cell, Fraction]]:
    """Yield a part of speech's cells, each with its share of the pairs."""
    antonyms: list[tuple[bool | None, Fraction]] = [(None, Fraction(1))]
    if quotas.antonyms is not None:
        antonyms = [(True, quotas.antonyms), (False, 1 - quotas.antonyms)]
    for number in range(1, quotas.n_bins + 1):
        for antonym, part in antonyms:
            yield _Cell(pos, number, antonym), part / quotas.n_bins


def _classify(pairs: pd.DataFrame, quotas: Quotas) -> pd.DataFrame:
    """Return each pair's part of speech, concreteness bin and antonymy."""
    bins = np.ones(len(pairs), dtype=np.int64)
    if quotas.n_bins > 1:
        rank = pairs["concreteness"].rank(method="first").to_numpy()
        bins = np.ceil(rank * quotas.n_bins / len(pairs)).astype(np.int64)
    return pd.DataFrame(
        {
            "pos": pairs["pos"] if quotas.shares else "",
            "bin": bins,
            "antonym": pairs["antonym"] if quotas.antonyms is not None else False,
        },
        index=pairs.index,
    )


def _divide(number: int, shares: list[Fraction]) -> list[int]:
    """Divide a number by shares, the largest remainders rounded up."""
    exact = [number * share for share in shares]
    parts = [int(part) for part in exact]
    by_remainder = sorted(range(len(exact)), key=lambda n: parts[n] - exact[n])
    for place in by_remainder[: number - sum(parts)]:
        parts[place] += 1
    return parts
