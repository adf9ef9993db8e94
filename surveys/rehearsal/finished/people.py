"""Invented annotators of the finished demo study: their words, ratings and times.

Everything follows from the number of a person and the context, so that the study is the same each
time it is made.
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple, Self

from surveys.models import Context
from surveys.rehearsal.vocabulary import list_words

POINTS = 7  # of the scale on which biases and noises are drawn
FASTEST, SLOWEST = 0.7, 1.6  # paces of people, as factors of the usual times
READING_SECONDS_PER_WORD = 0.3
WRITING_SECONDS = 14.0
RATING_SECONDS = 9.0
CARELESSNESS = 0.05  # share of answers for which words of the text are considered, too
EFFECTS = (0.1, 1.0)  # of the contexts of a pair, as shares of the difference in the table


class Manner(StrEnum):
    """The way in which an invented person answers."""

    CAREFUL = "careful"
    CONSTANT = "constant"  # the same rating everywhere
    RANDOM = "random"  # ratings by chance
    COPYING = "copying"  # words out of the text


class Source(NamedTuple):
    """The source of answers to a context: its similarity, in points above the scale's lowest, and
    words that it may inspire.
    """

    similarity: float
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class InventedPerson:
    """An invented annotator: manner, bias and noise in points of the scale, and pace."""

    number: int
    manner: Manner
    bias: float
    noise: float
    pace: float

    @classmethod
    def draw(cls, number: int, manner: Manner) -> Self:
        """Return the person with a number, always the same."""
        rng = draw_chance("person", number)
        return cls(
            number,
            manner,
            bias=rng.gauss(0, 0.4),
            noise=rng.uniform(0.5, 1.1),
            pace=rng.uniform(FASTEST, SLOWEST),
        )

    def rate(self, context: Context, source: Source, n_points: int) -> int:
        """Return a rating of a context: how many points it is above the scale's lowest."""
        rng, last = self._chance("rating", context), n_points - 1
        if self.manner == Manner.CONSTANT:
            return last // 2
        if self.manner == Manner.RANDOM:
            return rng.randint(0, last)
        error = (self.bias + rng.gauss(0, self.noise)) * last / (POINTS - 1)
        return min(max(round(source.similarity + error), 0), last)

    def inspire(self, context: Context, source: Source, n_before: int) -> tuple[str, str]:
        """Return two words for a context.

        `n_before` people have answered the questionnaire before: honest people seldom write the
        same two words.
        """
        rng = self._chance("words", context)
        if self.manner == Manner.COPYING:
            first, second = rng.sample(list_words([context.text]), 2)
            return first, second
        in_text = set(re.findall(r"\w+", context.text.casefold()))
        invented = [word for word in source.words if word not in in_text]
        words = source.words if rng.random() < CARELESSNESS else invented
        pairs = list(combinations(words, 2))
        rounds, place = divmod(n_before, len(pairs))
        chance = draw_chance("pairs", context.pair.position, context.number)
        for _ in range(rounds + 1):  # the same two people do not meet again in each text
            chance.shuffle(pairs)
        first, second = rng.sample(pairs[place], 2)
        return first, second

    def take_time(self, context: Context) -> tuple[float, float]:
        """Return the seconds for the two pages of a context."""
        haste = 3 if self.manner in {Manner.CONSTANT, Manner.COPYING} else 1
        return draw_seconds(self._chance("seconds", context), context, self.pace, haste)

    def _chance(self, what: str, context: Context) -> random.Random:
        return draw_chance(what, self.number, context.pair.position, context.number)


def draw_seconds(
    rng: random.Random, context: Context, pace: float, haste: int
) -> tuple[float, float]:
    """Return the seconds for the two pages of a context, at a pace divided by a person's haste."""
    pace = pace * rng.lognormvariate(0, 0.25) / haste
    reading = READING_SECONDS_PER_WORD * len(re.findall(r"\w+", " ".join(context.texts)))
    return round(pace * (reading + WRITING_SECONDS), 1), round(pace * RATING_SECONDS, 1)


def read_sources(table: str) -> Mapping[tuple[int, int], Source]:
    """Return the sources of the answers by pair and context, from a table with a head.

    The two similarities of a pair approach each other by a share that differs from pair to pair,
    so that not every pair changes.
    """
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    similarities = {(int(row[0]), int(row[1])): float(row[2]) for row in rows}
    words = {(int(row[0]), int(row[1])): tuple(row[3].split()) for row in rows}
    sources = {}
    for (pair, number), similarity in similarities.items():
        middle = (similarity + similarities[pair, 3 - number]) / 2
        effect = draw_chance("effect", pair).uniform(*EFFECTS)
        sources[pair, number] = Source(middle + effect * (similarity - middle), words[pair, number])
    return sources


def draw_chance(*key: object) -> random.Random:
    """Return a source of chance that is always the same for a key."""
    return random.Random(" ".join(map(str, key)))  # noqa: S311  # nosec B311 # (to be repeated)
