"""Text lengths in a stimuli file, and distances between the target words."""

import statistics
from collections.abc import Iterable
from typing import NamedTuple

from postprocess.formats.stimuli import StimulusPair
from postprocess.formats.tokens import locate_targets


class Spread(NamedTuple):
    """The minimum, median and maximum of some numbers."""

    minimum: int
    median: float
    maximum: int


class StimuliSizes(NamedTuple):
    """Lengths of all contexts, in characters and words, and distances of their targets in words.

    Adjacent words have a distance of 1.
    """

    n_pairs: int
    characters: Spread
    words: Spread
    distance: Spread


def measure_stimuli(pairs: Iterable[StimulusPair]) -> StimuliSizes:
    """Measure both contexts of all pairs.

    The median of an even number of contexts is the mean of the two in the middle. Words are those
    of `tokens.tokenise`; characters are code points without the marks. Raises ValueError if there
    are no pairs.

    >>> from postprocess.formats.marks import MarkedContext, Span
    >>> near = MarkedContext("Ice is water.", Span(0, 3), Span(7, 12))
    >>> far = MarkedContext("Water is, in winter, ice.", Span(21, 24), Span(0, 5))
    >>> measure_stimuli([StimulusPair("ice", "water", near, far)])[2:]
    (Spread(minimum=3, median=4.0, maximum=5), Spread(minimum=2, median=3.0, maximum=4))
    """
    contexts = [context for pair in pairs for context in (pair.context1, pair.context2)]
    if not contexts:
        raise ValueError("stimuli without a pair have no sizes")
    places = [locate_targets(context) for context in contexts]
    return StimuliSizes(
        n_pairs=len(contexts) // 2,
        characters=_spread(len(context.text) for context in contexts),
        words=_spread(place.n_tokens for place in places),
        distance=_spread(place.distance for place in places),
    )


def _spread(numbers: Iterable[int]) -> Spread:
    held = sorted(numbers)
    return Spread(held[0], float(statistics.median(held)), held[-1])
