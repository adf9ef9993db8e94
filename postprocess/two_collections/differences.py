"""Differences of two collections: their mean, limits of agreement, and each context and pair."""

import numpy as np
import pandas as pd
from scipy.special import stdtr

from postprocess.reporting.assessment import Chance
from postprocess.statistics.change import cliffs_delta, false_discovery_rates, two_sided_pvalues
from postprocess.statistics.correlations import DECIMALS
from postprocess.statistics.intervals import basic_interval
from postprocess.steps.core import take_texts
from postprocess.steps.post_process import UNCOMPARED
from postprocess.two_collections.association import CHANGE, SCORE, draw_pairs, figures_of
from postprocess.two_collections.collection import ALONE
from postprocess.two_collections.matching import Aligned
from postprocess.types import Counts, Floats

LIMIT = 1.96  # standard deviations on each side of the mean difference
LIMITS = {"difference": 0.0, "limit_low": -LIMIT, "limit_high": LIMIT}  # figure → deviations


def measure_differences(aligned: Aligned, chance: Chance) -> pd.DataFrame:
    """Compute mean differences and limits of agreement of three pairs or more.

    Returns
    -------
    DataFrame, shape (2, 16)
        of ("score", over contexts; "change", over pairs); n; mean_first, mean_second and sd_first,
        sd_second (of the figures of one collection); difference, second less first, limit_low and
        limit_high, the mean difference ± 1.96 standard deviations of the differences, each with the
        ends of its 95 % bootstrap interval over pairs (_low, _high); sd: that standard deviation;
        sd_by_noise: what it would be if nothing but the noise of the ratings differed, from the
        standard errors of the figures, NaN if a context has a single rating. In points of the
        first's published scale.

    References
    ----------
    Bland and Altman (1986), Statistical methods for assessing agreement between two methods of
    clinical measurement.
    """
    figures = [figures_of(scores) for scores in aligned.scores]
    errors = np.add(*map(_squared_errors, aligned.scores))
    noise = {SCORE: errors.mean(), CHANGE: errors.sum(axis=1).mean()}
    drawn = draw_pairs(len(aligned.rows), chance)
    rows = []
    for of in (SCORE, CHANGE):
        first, second = (side[of] for side in figures)
        row = {"of": of, "n": first.size}
        row |= {"mean_first": first.mean(), "mean_second": second.mean()}
        row |= {"sd_first": first.std(ddof=1), "sd_second": second.std(ddof=1)}
        differences = second - first
        resampled = differences[drawn].reshape(len(drawn), differences.size)
        for name, n_deviations in LIMITS.items():
            figure = float(_limit(differences.reshape(1, -1), n_deviations)[0])
            ends = basic_interval(figure, _limit(resampled, n_deviations), within="difference")
            row |= {name: figure, f"{name}_low": ends[0], f"{name}_high": ends[1]}
        row |= {"sd": differences.std(ddof=1), "sd_by_noise": float(np.sqrt(noise[of]))}
        rows.append(row)
    return pd.DataFrame(rows)


def compare_contexts(aligned: Aligned) -> pd.DataFrame:
    """Compare the scores and ratings of each context in two collections.

    Returns
    -------
    DataFrame, shape (2 * n_pairs, 9 to 15)
        pair, context, word1, word2; n_first, n_second (ratings), score_first, score_second and
        difference (second less first), on the first's published scale. If the ratings of both are
        known, also: pvalue, the two-sided Mann-Whitney p as in `two_sided_pvalues`; qvalue, its
        false discovery rate among all contexts; delta, delta_low, delta_high: Cliff's δ of the
        second's ratings over the first's, as in `cliffs_delta`. note: in which collection the
        context rests on a questionnaire in which nobody could be compared, if any does.
    """
    figures = [figures_of(scores)[SCORE] for scores in aligned.scores]
    n_ratings = [scores[["n1", "n2"]].to_numpy() for scores in aligned.scores]
    numbers = aligned.scores[0].index.to_numpy()
    table = pd.DataFrame(
        {
            "pair": np.repeat(numbers, 2),
            "context": np.tile([1, 2], len(numbers)),
            "word1": np.repeat([row[0] for row in aligned.rows], 2),
            "word2": np.repeat([row[1] for row in aligned.rows], 2),
            "n_first": n_ratings[0].ravel(),
            "n_second": n_ratings[1].ravel(),
            "score_first": figures[0].ravel(),
            "score_second": figures[1].ravel(),
            "difference": (figures[1] - figures[0]).ravel(),
        }
    )
    table = _add_notes(table, aligned)
    counts = _count_both(aligned)
    if counts is None:
        return table
    pvalues = two_sided_pvalues(*counts)
    tests = {"pvalue": pvalues, "qvalue": false_discovery_rates(pvalues)}
    return table.assign(**tests, **cliffs_delta(*counts))


def compare_changes(aligned: Aligned) -> pd.DataFrame:
    """Compare the changes of each pair in two collections.

    Returns
    -------
    DataFrame, shape (n_pairs, 10 or 11)
        pair, word1, word2, change_first, change_second, difference (second less first), error (its
        standard error, from the deviations and numbers of ratings of all four contexts), t
        (difference over error), pvalue (two-sided, of Student's distribution with Satterthwaite's
        degrees of freedom) and qvalue (its false discovery rate). NaN where a context has a single
        rating, or the ratings of all four contexts do not vary. note: as in `compare_contexts`.

    References
    ----------
    Welch (1947), The generalization of 'Student's' problem when several different population
    variances are involved; Satterthwaite (1946), for the degrees of freedom.
    """
    changes = [figures_of(scores)[CHANGE].ravel() for scores in aligned.scores]
    squared = np.hstack([_squared_errors(scores) for scores in aligned.scores])
    n = np.hstack([scores[["n1", "n2"]].to_numpy() for scores in aligned.scores])
    difference, variance = changes[1] - changes[0], squared.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = variance**2 / (squared**2 / (n - 1)).sum(axis=1)
        t = np.where(variance > 0, difference / np.sqrt(variance), np.nan)
    pvalues = 2 * stdtr(freedom, -np.abs(t))
    is_defined = ~np.isnan(pvalues)
    rates = np.full(len(pvalues), np.nan)
    if is_defined.any():
        rates[is_defined] = false_discovery_rates(pvalues[is_defined])
    table = pd.DataFrame(
        {
            "pair": aligned.scores[0].index.to_numpy(),
            "word1": [row[0] for row in aligned.rows],
            "word2": [row[1] for row in aligned.rows],
            "change_first": changes[0],
            "change_second": changes[1],
            "difference": difference,
            "error": np.sqrt(variance),
            "t": t,
            "pvalue": pvalues,
            "qvalue": rates,
        }
    )
    return _add_notes(table, aligned)


def _add_notes(table: pd.DataFrame, aligned: Aligned) -> pd.DataFrame:
    """Add in which collection, or both, nobody could be compared; no column for none."""
    is_alone = np.array([scores[list(ALONE)] for scores in aligned.scores], dtype=bool)
    pairs = is_alone[:, :, 0] | is_alone[:, :, 1]
    first, second = is_alone.reshape(2, -1) if "context" in table else pairs
    texts = ("", *(f"{side}: {UNCOMPARED}" for side in ("first", "second", "both")))
    return table.assign(note=take_texts(texts, first + 2 * second)) if is_alone.any() else table


def _limit(differences: Floats, n_deviations: float) -> Floats:
    """Return the mean of each row plus some standard deviations."""
    return np.asarray(differences.mean(axis=1) + n_deviations * differences.std(axis=1, ddof=1))


def _squared_errors(scores: pd.DataFrame) -> Floats:
    """Return the squared standard error of each score, shape (n_pairs, 2)."""
    deviations = scores[["stdev1", "stdev2"]].to_numpy(dtype=float)
    return np.asarray(deviations**2 / scores[["n1", "n2"]].to_numpy(dtype=float))


def _count_both(aligned: Aligned) -> tuple[Counts, Counts] | None:
    """Return how many ratings each context has at each value of either side; None if unknown."""
    first, second = aligned.ratings
    if first is None or second is None:
        return None
    values = np.unique(np.concatenate([side["rating"].round(DECIMALS) for side in (first, second)]))
    counts = []
    for side in (first, second):
        place = aligned.scores[0].index.get_indexer(pd.Index(side["pair"]))
        context = 2 * place + side["context"].to_numpy() - 1
        value = np.searchsorted(values, side["rating"].round(DECIMALS))
        shape = 2 * len(aligned.rows), len(values)
        cells = np.bincount(context * shape[1] + value, minlength=shape[0] * shape[1])
        counts.append(cells.reshape(shape))
    return counts[0], counts[1]
