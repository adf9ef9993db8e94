"""Pairs of words in two languages, made from scored pairs in each."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from postprocess.errors import UserError
from postprocess.layouts import Record
from postprocess.layouts.checks import find_exact_mean
from postprocess.layouts.columns import NUMBER, round_half_up
from postprocess.layouts.published_set import PublishedSet

MOST_APART = 1  # the paper says "lower than 1.0"; its files have pairs that are exactly 1 apart


class CrosslingualError(UserError):
    """Pairs without scores, or not with the same concepts in both languages."""


class ScoredPair(NamedTuple):
    """Two words with their exact score, and the id that they share with other languages."""

    id: str
    word1: str
    word2: str
    score: Fraction


@dataclass(frozen=True, slots=True)
class CrossPair:
    """A word of each language with their score, and the concept's id and scores."""

    word1: str
    word2: str
    score: Fraction
    id: str
    scores: tuple[Fraction, Fraction]


def make_pairs(first: Sequence[ScoredPair], second: Sequence[ScoredPair]) -> list[CrossPair]:
    """Combine the pairs of the same concepts in two languages.

    Parameters
    ----------
    first, second : sequence of ScoredPair
        The same ids in the same order; scores on one scale.

    Returns
    -------
    list of CrossPair
        Of each concept whose scores are at most 1 apart, word 1 of the first language with word 2
        of the second and the other way round, with the mean of both scores; each pair once.

    Raises
    ------
    CrosslingualError
        The first id that differs.

    References
    ----------
    Camacho-Collados et al. (2017), section 2.2; a difference of exactly 1 counts, as in the
    published files.

    Examples
    --------
    >>> en, hr = (ScoredPair("2", *pair) for pair in (("sel", "oru", 1), ("nim", "dac", 2)))
    >>> [(pair.word1, pair.word2, str(pair.score)) for pair in make_pairs([en], [hr])]
    [('sel', 'dac', '3/2'), ('oru', 'nim', '3/2')]
    """
    if len(first) != len(second):
        raise CrosslingualError(f"{len(first)} pairs in one language, {len(second)} in the other")
    made: dict[tuple[str, str], CrossPair] = {}
    for row, (one, other) in enumerate(zip(first, second, strict=True), 1):
        if one.id != other.id:
            what = f'row {row} has the id "{one.id}" in one language, "{other.id}" in the other'
            raise CrosslingualError(f"{what}; put the same concepts into the same rows")
        if abs(one.score - other.score) <= MOST_APART:
            scores = one.score, other.score
            for words in ((one.word1, other.word2), (one.word2, other.word1)):
                pair = CrossPair(*words, sum(scores, Fraction()) / 2, one.id, scores)
                made.setdefault(words, pair)
    return list(made.values())


def list_scored(published: PublishedSet) -> list[ScoredPair]:
    """Return the pairs of a data set, with the mean of three ratings that is printed as its score.

    A score that is not such a mean, in steps of 1/4, is the printed number.

    Raises CrosslingualError if a score is missing.
    """
    scores = {figure["id"]: figure.get("score", "") for figure in published.figures}
    pairs = []
    for item in published.items:
        if not NUMBER.fullmatch(printed := scores.get(item["id"], "")):
            raise CrosslingualError(f'the pair "{item["id"]}" has no score; load the scores, too')
        exact = find_exact_mean(printed)
        score = Fraction(printed) if exact is None else exact
        pairs.append(ScoredPair(item["id"], item["word1"], item["word2"], score))
    return pairs


def cross(
    first: PublishedSet, second: PublishedSet, *, seed: int = 0
) -> tuple[PublishedSet, list[Record]]:
    """Return the data set of two languages, in an order by the seed, and its sources.

    A source is the id of a concept, its score in each language, and the pair's row.
    """
    pairs = make_pairs(list_scored(first), list_scored(second))
    random.Random(seed).shuffle(pairs)  # noqa: S311 # nosec B311 # (not for security)
    crossed = PublishedSet(first.layout, f"{first.language}-{second.language}")
    sources = []
    for row, pair in enumerate(pairs, 1):
        name = str(row)
        crossed.items.append({"id": name, "word1": pair.word1, "word2": pair.word2})
        crossed.figures.append({"id": name, "score": round_half_up(pair.score)})
        s, t = map(str, pair.scores)
        sources.append({"id": name, "source": pair.id, "s": s, "t": t})
    return crossed, sources
