"""Baselines that need the texts alone: one score for all, distance, likeness of the forms."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from postprocess.formats.marks import MarkedContext
from postprocess.formats.stimuli import StimulusPair
from postprocess.formats.tokens import locate_targets
from postprocess.types import Floats


def predict_constant(pairs: Sequence[StimulusPair]) -> Floats:
    """Predict 1 for every context.

    Returns
    -------
    array, shape (n_pairs, 2)
    """
    return np.ones((len(pairs), 2))


def predict_distance(pairs: Sequence[StimulusPair]) -> Floats:
    """Predict minus the number of words from one target word to the other, 1 for neighbours.

    Returns
    -------
    array, shape (n_pairs, 2)
    """
    return _predict_each(pairs, lambda context: -locate_targets(context).distance)


def predict_form(pairs: Sequence[StimulusPair]) -> Floats:
    """Predict how alike the inflected forms of the two words are; see `compare_forms`.

    Returns
    -------
    array, shape (n_pairs, 2)
    """
    return _predict_each(pairs, lambda context: compare_forms(context.form1, context.form2))


def compare_forms(first: str, second: str) -> float:
    """Compute Dice's coefficient of two words' pairs of neighbouring letters.

    Parameters
    ----------
    first, second : str
        Compared without letter case, in Unicode's composed form. The beginning and the end of a
        word count as letters, so that common beginnings and endings count more.

    Returns
    -------
    float
        Twice the number of common pairs of letters over that of all, from 0 to 1. A pair that
        occurs several times is common as often as it is in both.

    References
    ----------
    Dice (1945), Measures of the amount of ecologic association between species.

    Examples
    --------
    >>> compare_forms("okna", "vrata"), compare_forms("Okno", "okno")
    (0.18181818181818182, 1.0)
    """
    pairs = [_count_bigrams(word) for word in (first, second)]
    n_common = (pairs[0] & pairs[1]).total()
    return 2 * n_common / (pairs[0].total() + pairs[1].total())


def _count_bigrams(word: str) -> Counter[str]:
    caseless = unicodedata.normalize("NFC", word).casefold()
    letters = f"^{unicodedata.normalize('NFC', caseless)}$"
    return Counter(map("".join, pairwise(letters)))


def _predict_each(
    pairs: Sequence[StimulusPair], predict: Callable[[MarkedContext], float]
) -> Floats:
    rows = [[predict(pair.context1), predict(pair.context2)] for pair in pairs]
    return np.array(rows, dtype=float).reshape(-1, 2)
