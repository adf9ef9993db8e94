"""Systems whose predictions are ranked: of the published data, and by chance."""

import unicodedata
from collections import Counter

import numpy as np
import pandas as pd

from postprocess.scoring.figures import score_predictions
from postprocess.scoring.metrics import CHANGES, SIMILARITIES, Metric

LANGUAGES = ("fi", "sl")


def read_tsv(path):
    return pd.read_csv(path, sep="\t", quoting=3)


def compare_forms(word1, word2):
    """Dice's coefficient of the letter bigrams of two inflected forms."""
    first, second = (
        Counter(a + b for a, b in zip(f"^{form}", f"{form}$", strict=True))
        for form in (unicodedata.normalize("NFC", word).casefold() for word in (word1, word2))
    )
    return 2 * (first & second).total() / (first.total() + second.total())


def draw_figures(rng, n, subtask=CHANGES, *, quality=1.0, seed=0):
    """Return the figures of a random system on gold that the seed alone decides."""
    gold = np.random.default_rng(seed).normal(size=(n, 2)).round(2)
    predicted = quality * gold + rng.normal(size=gold.shape)
    if subtask is SIMILARITIES:
        return score_predictions(Metric.HARMONIC, predicted, gold)
    return score_predictions(
        Metric.CHANGE, predicted[:, 1] - predicted[:, 0], gold[:, 1] - gold[:, 0]
    )
