"""The reference rows that follow from the data: what people and perfect systems reach."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from postprocess.boards.entries import Entry, Kind, only_score
from postprocess.scoring.figures import Figures, score_predictions
from postprocess.scoring.metrics import Metric
from postprocess.statistics.agreement.by_group import agreement_table
from postprocess.statistics.agreement.reliability import change_reliability_from_scores
from postprocess.types import Floats

HUMAN = "human"


def bound_changes(scores: Mapping[str, pd.DataFrame]) -> list[Entry]:
    """Return the rows *score ceiling* and *second crowd* of subtask 1.

    Parameters
    ----------
    scores : mapping
        Language → the rows of `scores.tsv` of the test pairs alone, without those of the practice
        pairs; see `change_reliability_from_scores`.

    Returns
    -------
    list of Entry
        The root of the reliability R, which a system that knew the true changes would reach, and R,
        which the scores of a second crowd like the first would reach. A language whose R is
        undefined or not above 0 is missing; without any there are no rows.
    """
    all_r = {language: change_reliability_from_scores(rows) for language, rows in scores.items()}
    positive = {language: r for language, r in all_r.items() if r > 0}
    if not positive:
        return []
    ceiling = {name: only_score(math.sqrt(r), len(scores[name])) for name, r in positive.items()}
    crowd = {name: only_score(r, len(scores[name])) for name, r in positive.items()}
    return [
        Entry("score ceiling", ceiling, Kind.CEILING),
        Entry("a second crowd", crowd, Kind.SECOND_CROWD),
    ]


def bound_without_context(metric: Metric, similarities: Mapping[str, ArrayLike]) -> Entry:
    """Return the row of a system that knows how similar all words are, but no context.

    Parameters
    ----------
    metric : Metric
        That of a track of contexts. Without contexts nothing changes, so that the score of
        *change* is 0.
    similarities : mapping
        Language → gold scores, shape (n_pairs, 2).

    Returns
    -------
    Entry
        The score of each pair's mean as the prediction for both of its contexts. It is a bound
        and no system, so it has no left-out values.
    """
    figures = {}
    for language, scores in similarities.items():
        means = _score_means(metric, np.asarray(scores, dtype=float))
        figures[language] = means._replace(left_out=np.empty(0))
    return Entry("best without context", figures, Kind.NO_CONTEXT)


def measure_people(ratings: Mapping[str, pd.DataFrame]) -> Entry | None:
    """Return the row *human* of subtask 2: how well a person predicts the others.

    Parameters
    ----------
    ratings : mapping
        Language → the ratings of the test pairs that are used in the scores, as `agreement_table`
        takes them.

    Returns
    -------
    Entry or None
        The mean over people of Spearman's rho with the mean of the others, which is not the
        harmonic mean that systems are scored by; a language in which it is undefined is missing.
        None if it is undefined in all.
    """
    figures = {}
    for language, rows in ratings.items():
        table = agreement_table(rows, by=(), figures=["human"], n_resamples=0)
        if not math.isnan(human := float(table["human"].iloc[-1])):
            figures[language] = only_score(human)
    return Entry(HUMAN, figures, Kind.HUMAN) if figures else None


def _score_means(metric: Metric, gold: Floats) -> Figures:
    means = np.repeat(gold.mean(axis=1, keepdims=True), 2, axis=1)
    if metric is Metric.CHANGE:
        return score_predictions(metric, means[:, 1] - means[:, 0], gold[:, 1] - gold[:, 0])
    return score_predictions(metric, means, gold)
