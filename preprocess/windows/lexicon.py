"""The words that are looked for, and the pairs they belong to."""

from collections.abc import Sequence

from preprocess.corpora.lemmas import normalise_lemma
from preprocess.pairs.reading import WordPair

MOST_REMEMBERED = 200_000  # spellings of lemmas, about 20 MB


class Lexicon:
    """Numbers for the distinct words of the pairs, from 1.

    `by_spelling[lemma]` is the word of a lemma as the corpus spells it (UTF-8), or 0.
    `pair_of[word][partner]` is the number of the pair of two words, in the order given.
    """

    def __init__(self, pairs: Sequence[WordPair]) -> None:
        self.pairs = tuple(pairs)
        self.numbers: dict[str, int] = {}
        self.pair_of: list[dict[int, int]] = [{}]
        for number, pair in enumerate(pairs):
            first, second = self._number(pair.word1), self._number(pair.word2)
            self.pair_of[first][second] = self.pair_of[second][first] = number
        self.by_spelling = Spellings(self.numbers)

    def _number(self, word: str) -> int:
        number = self.numbers.setdefault(normalise_lemma(word), len(self.pair_of))
        if number == len(self.pair_of):
            self.pair_of.append({})
        return number


class Spellings(dict[bytes, int]):
    """A cache: lemma in a corpus → number of the word, or 0 if it is not looked for.

    Each spelling is normalised once, which is what makes the scan fast. The cache is emptied when
    it is full, so that memory does not grow with the corpus.
    """

    def __init__(self, numbers: dict[str, int]) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, lemma: bytes) -> int:
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        number = self._numbers.get(normalise_lemma(lemma.decode("utf-8", "replace")), 0)
        self[lemma] = number
        return number
