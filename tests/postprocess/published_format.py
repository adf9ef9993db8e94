"""Small datasets in the published format, made by our own pipeline."""

import numpy as np
import pandas as pd

from postprocess.formats.stimuli import parse_stimuli, render_stimuli
from postprocess.formats.writing import write_files
from postprocess.pipeline import build_dataset
from postprocess.steps.recipe import read_recipe
from tests.postprocess.datasets import LITTLE_CHANCE

N_PAIRS, N_RATINGS = 12, 10
RAW = read_recipe("raw", LITTLE_CHANCE)


def stimuli_row(number):
    """A sound row; the words and contexts of every number are others."""
    return (
        f"bank{number}",
        f"river{number}",
        f"The <strong>bank{number}</strong> of a <strong>river{number}</strong>. It was. We sat.",
        f"A <strong>river{number}</strong> by the <strong>banks{number}</strong>. It was. We sat.",
        f"bank{number}",
        f"river{number}",
        f"banks{number}",
        f"river{number}",
    )


def stimuli_of(n_pairs):
    rows = [stimuli_row(number) for number in range(1, n_pairs + 1)]
    return parse_stimuli(render_stimuli(rows).encode())


def ratings_of(*pairs):
    """The ratings table of pairs, each with the ratings of its two contexts."""
    rows = [
        (pair, context, f"A{pair}-{context}-{i}", rating)
        for pair, contexts in enumerate(pairs, 1)
        for context, ratings in enumerate(contexts, 1)
        for i, rating in enumerate(ratings)
    ]
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating"])


def build(*pairs, recipe=RAW):
    return build_dataset(
        stimuli_of(len(pairs)), ratings_of(*pairs), language="xx", recipe=recipe, inputs={}
    )


def random_pairs(seed=1):
    """Ratings of pairs with ten people to a context."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 7, size=(N_PAIRS, 2, N_RATINGS)).tolist()


def write_release(folder):
    """A release of random ratings, as `build` writes it."""
    return write_files(build(*random_pairs()).files, folder)


def cells(path):
    """The cells of a file by row (0 is the header)."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
