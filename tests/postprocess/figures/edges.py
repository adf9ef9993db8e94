"""Studies with extreme data, by name; each is made once, as tests only read it."""

import functools

import numpy as np
import pandas as pd

from postprocess.steps.post_process import Outcome
from tests.factories.ratings import outcome_of, rate, simulate_study


def one_annotator() -> Outcome:
    rows = [(pair, context, "A", (pair + context) % 7) for pair in (1, 2, 3) for context in (1, 2)]
    return outcome_of(rate(*rows, group="1"))


def all_constant() -> Outcome:
    return outcome_of(simulate_study().assign(rating=3), "raw")


def one_pair() -> Outcome:
    return outcome_of(simulate_study(1, odd=False))


def no_groups_found() -> Outcome:
    """Each annotator rated one context, which is a group of its own."""
    ratings = simulate_study(12, odd=False).drop(columns="group")
    return outcome_of(ratings.assign(annotator=[f"W{i}" for i in range(len(ratings))]))


def no_change() -> Outcome:
    ratings = simulate_study(odd=False)
    pattern = ratings.groupby(["pair", "context"]).cumcount() % 3 + ratings["pair"] % 3
    return outcome_of(ratings.assign(rating=pattern))


def many_pairs() -> Outcome:
    """Pairs in 30 blocks, and 600 annotators."""
    return outcome_of(simulate_study(1500, 10, n_blocks=30))


def marked_ratings() -> Outcome:
    ratings = simulate_study()
    unjudged = np.arange(len(ratings)) % 17 == 0
    gone = ratings["annotator"] == "1B-01"
    mark = np.select([unjudged, gone], ["cannot judge", "withdrawn"], default="")
    rating = ratings["rating"].astype(float).where(~unjudged)
    return outcome_of(ratings.assign(mark=mark, rating=rating))


def quarter_steps_and_hostile_names() -> Outcome:
    ratings = simulate_study()
    names = {"1A": "<b>$x_1$</b>&amp;--%{}", "1B": "چلیپا \\alpha ŠŽäö"}
    ratings["group"] = ratings["group"].map(names)
    changes = ("scale.minimum=-1", "scale.maximum=1", "scale.step=0.25", "rescaling.maximum=1")
    return outcome_of(ratings.assign(rating=ratings["rating"] / 4 - 0.75), "cosimlex", *changes)


def without_steps() -> Outcome:
    return outcome_of(simulate_study(), "raw")


EDGES = {
    edge.__name__: functools.cache(edge)
    for edge in (
        one_annotator, all_constant, one_pair, no_groups_found, no_change, many_pairs,
        marked_ratings, quarter_steps_and_hostile_names, without_steps,
    )
}  # fmt: skip


def shuffled(ratings: pd.DataFrame) -> pd.DataFrame:
    return ratings.sample(frac=1, random_state=3)
