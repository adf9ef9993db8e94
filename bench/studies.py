"""Simulated studies from a known population, and how often their intervals have its figure."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]


class Shape(NamedTuple):
    """The size of a study: questionnaires, items in each, annotators of each."""

    n_groups: int
    n_items: int
    n_annotators: int = 10

    def __str__(self) -> str:
        return f"{self.n_groups}×{self.n_items}, {self.n_annotators} annotators"


class Crowd(NamedTuple):
    """Annotators by questionnaire: the bias and the noise of each."""

    bias: Floats
    spread: Floats

    @classmethod
    def gather(cls, shape: Shape, rng: np.random.Generator) -> "Crowd":
        """Draw annotators for all questionnaires."""
        size = shape.n_groups, shape.n_annotators
        return cls(rng.normal(0, 0.6, size), rng.uniform(0.8, 1.8, size))


def draw_similarities(shape: Shape, rng: np.random.Generator) -> Floats:
    """Draw true similarities, uniform from 0 to 6; the contexts of a pair correlate by 0.8.

    Questionnaires 1 and 2, 3 and 4, … have the same pairs. Shape (n_groups, n_items).
    """
    n_blocks = -(-shape.n_groups // 2)
    common = rng.normal(size=(n_blocks, 1, shape.n_items))
    distinct = rng.normal(size=(n_blocks, 2, shape.n_items))
    mixed = np.sqrt(0.8) * common + np.sqrt(0.2) * distinct
    return np.asarray(6 * stats.norm.cdf(mixed.reshape(-1, shape.n_items)[: shape.n_groups]))


def rate(crowd: Crowd, similarities: Floats, rng: np.random.Generator) -> Floats:
    """Draw whole ratings from 0 to 6, shape (n_groups, n_annotators, n_items)."""
    noise = crowd.spread[:, :, None] * rng.normal(size=(*crowd.bias.shape, similarities.shape[1]))
    return np.clip(np.rint(similarities[:, None] + crowd.bias[:, :, None] + noise), 0, 6)


def tabulate(ratings: Floats) -> pd.DataFrame:
    """Write ratings as a table; context 1 of a pair is in an odd questionnaire."""
    group, annotator, item = np.indices(ratings.shape)
    return pd.DataFrame(
        {
            "pair": ((group // 2) * ratings.shape[2] + item + 1).ravel(),
            "context": (group % 2 + 1).ravel(),
            "annotator": (group * ratings.shape[1] + annotator).ravel(),
            "rating": ratings.ravel(),
            "group": group.ravel().astype(str),
        }
    )


def collect(true: Floats, crowd: Crowd, rng: np.random.Generator, *, n_block: int) -> pd.DataFrame:
    """Draw ratings of pairs in blocks of two questionnaires, as a table, neither rounded nor cut.

    `true`, shape (n_pairs, 2), are the similarities in both contexts. A pair's contexts are in the
    two questionnaires of its block, alternately; `crowd` has a row for each questionnaire.
    """
    n_annotators = crowd.bias.shape[1]
    pair, context, annotator = np.indices((*true.shape, n_annotators)).reshape(3, -1)
    group = 2 * (pair // n_block) + (pair + context) % 2
    noise = crowd.spread[group, annotator] * rng.normal(size=len(pair))
    return pd.DataFrame(
        {
            "pair": pair + 1,
            "context": context + 1,
            "annotator": group * n_annotators + annotator,
            "rating": true[pair, context] + crowd.bias[group, annotator] + noise,
            "group": group,
        }
    )


def in_points(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return ratings as whole points from 0 to 6, as a site exports them."""
    points = ratings["rating"].round().clip(0, 6).astype(int)
    return ratings.assign(rating=points, group=ratings["group"].astype(str))


def simulate(shape: Shape, rng: np.random.Generator, crowd: Crowd | None = None) -> pd.DataFrame:
    """Simulate a study's ratings by this crowd or a new crowd."""
    crowd = crowd or Crowd.gather(shape, rng)
    return tabulate(rate(crowd, draw_similarities(shape, rng), rng))


class Tally:
    """Intervals of many studies compared with the true figure."""

    def __init__(self, name: str, figure: str, truth: float) -> None:
        self.name, self.figure, self.truth = name, figure, truth
        self.rows: list[tuple[float, float, float]] = []

    def add(self, figure: float, low: float, high: float) -> None:
        """Count the interval of a study unless it is undefined."""
        if not np.isnan(low):
            self.rows.append((figure, low, high))

    def row(self) -> list[str]:
        """Return the row of the printed table."""
        figures, low, high = np.array(self.rows).T
        below, above = high < self.truth, low > self.truth
        share = float((~below & ~above).mean())
        error = np.sqrt(share * (1 - share) / len(low))
        out = (figures < low) | (figures > high)
        shares = (f"{100 * part.mean():.0f}" for part in (below, above, out))
        counts = self.name, self.figure, str(len(low))
        width = float((high - low).mean())
        return [*counts, f"{100 * share:.1f}", f"{100 * error:.1f}", *shares, f"{width:.3f}"]
