"""Which kinds of items two collections rate differently."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from postprocess.reporting.assessment import Chance
from postprocess.statistics.confounds import find_confounds, measure_contexts
from postprocess.statistics.correlations import FEWEST_COMMON, correlate
from postprocess.statistics.intervals import basic_interval
from postprocess.two_collections.association import SCORE, draw_pairs, figures_of
from postprocess.two_collections.matching import Aligned

COLUMNS = (
    "trait", "value", "n_pairs", "difference", "low", "high", "absolute", "correlation"
)  # fmt: skip


def compare_kinds(aligned: Aligned, chance: Chance) -> pd.DataFrame:
    """Compare the scores of two collections for each kind of pairs.

    Parameters
    ----------
    aligned : Aligned
        The matched pairs and their traits, such as pos and block.
    chance : Chance
        Resamples of the pairs of a kind, and the seed.

    Returns
    -------
    DataFrame, shape (n_kinds, 8), in the order of the traits and of their values
        trait, value, n_pairs; difference: the mean score of the second less that of the first, in
        points of the first's published scale, with its 95 % bootstrap interval over pairs (low,
        high; NaN for fewer than three pairs); absolute: the mean of the absolute differences of
        contexts; correlation: Pearson's, of the scores of all contexts.
    """
    first, second = (figures_of(scores)[SCORE] for scores in aligned.scores)
    rows = []
    for trait, values in aligned.traits.items():
        for value in sorted(values.dropna().unique(), key=_natural_order):
            inside = (values == value).to_numpy()
            differences = second[inside] - first[inside]
            n_pairs = len(differences)
            resampled = differences[draw_pairs(n_pairs, chance)].mean(axis=(1, 2))
            figure = float(differences.mean())
            ends = (np.nan, np.nan)
            if n_pairs >= FEWEST_COMMON:
                ends = basic_interval(figure, resampled, within="difference")
            rho = correlate(first[inside].ravel(), second[inside].ravel(), method="pearson")
            absolute = float(np.abs(differences).mean())
            rows.append((trait, str(value), n_pairs, figure, *ends, absolute, float(rho)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def relate_differences(aligned: Aligned, chance: Chance) -> pd.DataFrame:
    """Relate the differences of the scores to what can be measured in the texts.

    Returns
    -------
    DataFrame, shape (6, 8)
        As `find_confounds` returns it for the difference of each context, second less first:
        confound (such as distance: of the two words), statistic, estimate, low, high, pvalue, n
        and n_pairs.
    """
    scores: Mapping[str, pd.Series] = {
        name: aligned.scores[1][name] - aligned.scores[0][name] for name in ("sim1", "sim2")
    }
    measures = measure_contexts(aligned.rows)
    numbers = aligned.scores[0].index.to_numpy()
    table = find_confounds(
        pd.DataFrame(scores),
        measures.assign(pair=np.repeat(numbers, 2)),
        rng=chance.rng(),
        n_resamples=chance.n_resamples,
    )
    of_scores = table[table["outcome"] == "score"]
    return of_scores.drop(columns="outcome").reset_index(drop=True)


def _natural_order(value: object) -> tuple[float, str]:
    """Sort numbers by their size, before other texts."""
    text = str(value)
    return (float(text), "") if text.isdecimal() else (float("inf"), text)
