"""Small datasets in the published format, made by the pipeline."""

import numpy as np
import pandas as pd

from postprocess.formats.stimuli import parse_stimuli, render_stimuli
from postprocess.formats.writing import write_files
from postprocess.pipeline import build_dataset
from postprocess.steps.recipe import read_recipe

N_PAIRS, N_RATINGS = 12, 10
RAW = read_recipe("raw", ("report.n_resamples=0", "report.n_splits=1"))  # only files are read


def stimuli_row(number):
    """Return a valid row with words and contexts specific to its number."""
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
    """Return a ratings table of pairs from the ratings of both contexts of each."""
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
    """Return ratings of pairs by ten annotators per context."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 7, size=(N_PAIRS, 2, N_RATINGS)).tolist()


def write_release(folder):
    """Write a release of random ratings, as `build` does."""
    return write_files(build(*random_pairs()).files, folder)


def cells(path):
    """Return the cells of a file by row (0 is the header)."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
