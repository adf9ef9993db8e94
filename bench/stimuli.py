"""Invented texts with two target words, and stimuli files with such texts."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

N_WORDS = 100  # of a text, about as many as the peers' texts have
SYLLABLES = [first + second for first in "bcdfglmnprstv" for second in "aeiou"]
FUNCTION_WORDS = ("the", "a", "of", "and", "to", "in", "is", "was", "for", "with", "it", "which")
HEADER = (
    "word1\tword2\tcontext1\tcontext2\t"
    "word1_context1\tword2_context1\tword1_context2\tword2_context2\n"
)


class Item(NamedTuple):
    """A text with two target words, which occur in no other text."""

    words: list[str]
    word1: str
    word2: str

    def mark(self, tag: str = "") -> str:
        """Return the text, with both target words in an element."""
        start, end = (f"<{tag}>", f"</{tag}>") if tag else ("", "")
        targets = self.word1, self.word2
        return " ".join(start + word + end if word in targets else word for word in self.words)


def make_items(count: int) -> Iterator[Item]:
    """Yield the same items each time: function words, and words of some syllables."""
    rng = random.Random(7)  # noqa: S311  (not for security)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(3000)]
    for number in range(count):
        text = [rng.choice(FUNCTION_WORDS if rng.random() < 0.4 else words) for _ in range(N_WORDS)]
        targets = f"alpha{number}", f"beta{number}"
        for place, word in zip(rng.sample(range(5, N_WORDS - 5), 2), targets, strict=True):
            text[place] = word
        yield Item(text, *targets)


def write_stimuli(n_contexts: int, path: Path) -> None:
    """Write a stimuli file with a pair for every two items."""
    items = list(make_items(n_contexts))
    rows = [_row(one, two) for one, two in zip(items[::2], items[1::2], strict=True)]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")


def _row(one: Item, two: Item) -> str:
    fields = (
        one.word1, one.word2, one.mark("strong"), two.mark("strong"),
        one.word1, one.word2, two.word1, two.word2,
    )  # fmt: skip
    return "\t".join(fields) + "\n"
