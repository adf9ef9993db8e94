"""Letters that are improbable in a language, by a model of the letters of simplemma's list."""

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

ORDER = 4  # letters: each is predicted from the three before
N_TRAINED, N_COMPARED = 60_000, 6_000  # words
QUANTILE = 0.005  # of the words compared, whose letters are improbable
START, END = "\0", "\1"
LETTERS = "LM"  # first letters of the Unicode categories of letters and their marks


class LetterModel:
    """An interpolated model of letters (Witten and Bell, 1991), and the limit for improbable words.

    >>> model = LetterModel(["banana", "cabana", "panama"], ["banana", "banaba"])
    >>> model.is_improbable("bpnmc"), model.is_improbable("canana")
    (True, False)
    """

    def __init__(self, words: Iterable[str], compared: Iterable[str]) -> None:
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for word in words:
            for before, letter in _follow(word):
                for start in range(ORDER):
                    self.counts[before[start:]][letter] += 1
        self.totals = {before: letters.total() for before, letters in self.counts.items()}
        means = sorted(map(self.mean_log_probability, compared))
        self.limit = means[int(QUANTILE * len(means))] if means else -math.inf

    def mean_log_probability(self, word: str) -> float:
        """Return the mean log probability of a word's letters and end."""
        logs = [math.log(self._probability(before, letter)) for before, letter in _follow(word)]
        return sum(logs) / len(logs)

    def is_improbable(self, word: str) -> bool:
        """Return whether fewer words of the language than `QUANTILE` have such letters."""
        return self.mean_log_probability(word) < self.limit

    def _probability(self, before: str, letter: str) -> float:
        probability = 1 / (len(self.counts[""]) + 1)
        for start in range(ORDER - 1, -1, -1):
            if followers := self.counts.get(before[start:]):
                n_kinds, total = len(followers), self.totals[before[start:]]
                weighted = followers[letter] + n_kinds * probability
                probability = weighted / (total + n_kinds)
        return probability


def has_odd_letters(word: str, listed: str) -> bool:
    """Return whether a word has improbable letters in a language of simplemma, or only one."""
    letters = keep_letters(word)
    return len(letters) == 1 or (letters != "" and letter_model(listed).is_improbable(letters))


def keep_letters(word: str) -> str:
    """Return the letters of a word in lower case.

    >>> keep_letters("Č\N{COMBINING CARON}a😀-b")
    'č̌ab'
    """
    normal = unicodedata.normalize("NFC", word.casefold())
    return "".join(c for c in normal if unicodedata.category(c)[0] in LETTERS)


@cache
def letter_model(listed: str) -> LetterModel:
    """Return the model of a language of simplemma, which takes seconds the first time."""
    from simplemma.strategies.dictionaries.stream_dictionary_factory import StreamDictionaryFactory

    words = StreamDictionaryFactory().get_dictionary(listed)
    step = max(len(words) // (N_TRAINED + N_COMPARED), 1)
    some = [word.casefold() for word in islice(words, 0, None, step) if word.isalpha()]
    every = (N_TRAINED + N_COMPARED) // N_COMPARED
    trained = (word for place, word in enumerate(some) if place % every)
    return LetterModel(trained, (word for word in some[::every] if len(word) > 1))


def _follow(word: str) -> Iterator[tuple[str, str]]:
    """Yield each letter of a word, and its end, after the letters before it."""
    padded = START * (ORDER - 1) + word + END
    for place in range(ORDER - 1, len(padded)):
        yield padded[place - ORDER + 1 : place], padded[place]
