"""Examples on the scale: lines of the instructions that say where a pair belongs on it.

They are written in a code block of the Markdown that is named `scale`, one example a line, each
with its part of the scale in per cent, so that a text fits every scale:

    ```scale
    66-100 trunk and suitcase, when both are packed
    0-34 trunk and suitcase, when one is part of an animal
    ```
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from markdown_it import MarkdownIt

from surveys.errors import TextRefused

BLOCK = "scale"
LINE = re.compile(r"([0-9]{1,3})\s*[-–]\s*([0-9]{1,3})\s+(\S.*)")
_MARKDOWN = MarkdownIt("commonmark")


class ScaleExample(NamedTuple):
    """A label, and between which percentages of the scale it belongs."""

    label: str
    part: tuple[int, int]


def points_between(points: Sequence[Decimal], part: tuple[int, int]) -> list[Decimal]:
    """Return the points of a scale that lie between two percentages of its length."""
    lowest, highest = (Decimal(percent) / 100 for percent in part)
    length = points[-1] - points[0]
    return [point for point in points if lowest <= (point - points[0]) / length <= highest]


def read_scale_examples(block: str, first_line: int = 1) -> list[ScaleExample]:
    """Return the examples of a block, whose lines are counted from `first_line`.

    Raises TextRefused, with the number of the line.
    """
    examples = []
    for number, line in enumerate(block.splitlines(), first_line):
        if not line.strip():
            continue
        match = LINE.fullmatch(line.strip())
        part = (int(match[1]), int(match[2])) if match else (0, 0)
        if not match or not 0 <= part[0] < part[1] <= 100:
            raise TextRefused(
                f"instructions, line {number}: write two percentages of the scale, the lower "
                f"first, and a label, such as “66-100 cup and mug”, got {line.strip()[:60]!r}."
            )
        examples.append(ScaleExample(match[3], part))
    return examples


def check_scale_examples(body: str) -> None:
    """Raise TextRefused if an example of the instructions cannot be placed on a scale."""
    for token in _MARKDOWN.parse(body):
        if is_scale(token.type, token.info) and token.map:
            read_scale_examples(token.content, token.map[0] + 2)


def is_scale(kind: str, info: str) -> bool:
    """Return whether a block of Markdown holds examples on the scale."""
    return kind == "fence" and info.strip() == BLOCK
