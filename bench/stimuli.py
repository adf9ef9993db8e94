"""The items of the peers' benchmark as stimuli: two items are the contexts of a pair."""

import importlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

HEADER = (
    "word1\tword2\tcontext1\tcontext2\t"
    "word1_context1\tword2_context1\tword1_context2\tword2_context2"
)


class Item(NamedTuple):
    """A text of about 100 words with two target words, as used by the peers."""

    text: str
    word1: str
    word2: str

    def mark(self, tag: str) -> str:
        """Return the text with both words in an element with that name."""
        targets = {self.word1, self.word2}
        words = self.text.split(" ")
        return " ".join(f"<{tag}>{w}</{tag}>" if w in targets else w for w in words)


def make_items(generator: Path, count: int) -> list[Item]:
    """Return the items of the peers, from the generator's folder."""
    sys.path.insert(0, str(generator / "peer_setup"))
    made: list[dict[str, Any]] = importlib.import_module("make_items").make_items(count)
    return [Item(item["text"], item["word1"], item["word2"]) for item in made]


def write_stimuli(items: list[Item], path: Path) -> None:
    """Write a stimuli file with a pair for every two items."""
    rows = [_row(one, two) for one, two in zip(items[::2], items[1::2], strict=True)]
    path.write_text("\n".join([HEADER, *rows, ""]))


def _row(one: Item, two: Item) -> str:
    fields = (
        one.word1, one.word2, one.mark("strong"), two.mark("strong"),
        one.word1, one.word2, two.word1, two.word2,
    )  # fmt: skip
    return "\t".join(fields)
