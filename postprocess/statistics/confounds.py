"""Confounds: influences on the scores other than the meaning of the words."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.formats.marks import read_context
from postprocess.formats.stimuli import COLUMNS
from postprocess.formats.tokens import Positions, locate_targets
from postprocess.statistics.agreement.weighted import Columns, correlate_weighted
from postprocess.statistics.change import change_tests
from postprocess.statistics.correlations import DECIMALS, FEWEST_COMMON, Method, spearman
from postprocess.statistics.intervals import basic_interval
from postprocess.types import Floats

CONTEXT_MEASURES = ("distance", "n_tokens", "position", "sentence", "same_sentence", "word1_first")
RATING_MEASURES = ("seconds", "position")
BINARY = ("same_sentence", "word1_first")
TABLE_COLUMNS = (
    "outcome", "confound", "statistic", "estimate", "low", "high", "pvalue", "n", "n_pairs",
)  # fmt: skip


class _Question(NamedTuple):
    """Outcome `y`, possible confound `x` and pair, one per row."""

    outcome: str
    confound: str
    x: Floats
    y: Floats
    pairs: NDArray[np.int64]
    is_binary: bool


def measure_contexts(rows: Iterable[Sequence[str]]) -> pd.DataFrame:
    """Measure the positions of the two target words in every context.

    Parameters
    ----------
    rows : iterable of sequences of str
        The rows of a stimuli file in the order of `stimuli.COLUMNS`.

    Returns
    -------
    DataFrame, shape (2 * n_rows, 8)
        pair (from 1), context (1 or 2); distance of the two words in words (1: side by side);
        n_tokens, the length of the context in words; position, the mean of the two words' from
        0 (first) to 1 (last); sentence, the number of the sentence with the first of them;
        same_sentence and word1_first, 1 or 0. NaN if the marks of a context cannot be read.

    Examples
    --------
    >>> row = ("ice", "water", "<strong>Ice</strong> is <strong>water</strong>.",
    ...        "<strong>Water</strong> on <strong>ice</strong>.", "Ice", "water", "ice", "Water")
    >>> measure_contexts([row])[["distance", "position", "word1_first"]].values.tolist()
    [[2.0, 0.5, 1.0], [2.0, 0.5, 0.0]]
    """
    measured = []
    for pair, row in enumerate(rows, 1):
        fields = dict(zip(COLUMNS, row, strict=True))
        for number in (1, 2):
            column = f"context{number}"
            forms = {name: fields[name] for name in (f"word1_{column}", f"word2_{column}")}
            marks = (
                read_context(fields[column], forms)[0] if len(set(forms.values())) == 2 else None
            )
            positions = locate_targets(marks) if marks else None
            measured.append({"pair": pair, "context": number, **_measures(positions)})
    return pd.DataFrame(measured, columns=["pair", "context", *CONTEXT_MEASURES])


def find_confounds(
    scores: pd.DataFrame,
    measures: pd.DataFrame,
    *,
    rng: np.random.Generator,
    ratings: pd.DataFrame | None = None,
    n_resamples: int = 2000,
    level: float = 0.95,
) -> pd.DataFrame:
    """Relate scores, changes and ratings to possible confounds.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 2 or more), index pair
        sim1 and sim2, as `aggregate_ratings` or `read_dataset` returns them.
    measures : DataFrame, shape (2 * n_pairs, 3 or more)
        pair, context and measures of contexts, as `measure_contexts` returns them.
    rng : Generator
        The same state gives the same intervals.
    ratings : DataFrame, shape (n_ratings, 4 or more), optional
        pair, context, annotator, rating, and if known seconds (the time the rating took) and
        position (of the item in its questionnaire); NaN if unknown.
    n_resamples : int
        Number of bootstrap samples; 0 for no intervals.
    level : float
        Confidence level of the intervals.

    Returns
    -------
    DataFrame, shape (n_questions, 9)
        outcome: "score" (of a context), "change" (score 2 - score 1, against the measure of
        context 2 less that of context 1) or "rating" (less the mean of the others of its
        context, against its seconds, its position and its annotator's median seconds);
        confound; statistic: "rho" (Spearman's, ties by average rank) or, for scores against a
        binary measure, "difference" (mean score of rows with 1 less that of the others);
        estimate, with the ends of its interval from a bootstrap of whole pairs;
        pvalue, two-sided, of the Mann-Whitney test for differences, NaN for rho; n (rows) and
        n_pairs. Undefined estimates (a constant side, under 3 rows) are NaN, and so are the
        ends if more than 5 % of the resamples are undefined.

    References
    ----------
    See `basic_interval`; Field and Welsh (2007) for the bootstrap of whole clusters, here pairs.
    """
    questions = list(_score_questions(scores, measures))
    if ratings is not None:
        questions.extend(_rating_questions(ratings))
    rows = [_answer(q, rng=rng, n_resamples=n_resamples, level=level) for q in questions]
    return pd.DataFrame(rows, columns=list(TABLE_COLUMNS))


def _measures(positions: Positions | None) -> dict[str, float]:
    if positions is None:
        return dict.fromkeys(CONTEXT_MEASURES, float("nan"))
    return {
        "distance": float(positions.distance),
        "n_tokens": float(positions.n_tokens),
        "position": positions.position,
        "sentence": float(min(positions.sentence1, positions.sentence2)),
        "same_sentence": float(positions.sentence1 == positions.sentence2),
        "word1_first": float(positions.word1_first),
    }


def _score_questions(scores: pd.DataFrame, measures: pd.DataFrame) -> Iterable[_Question]:
    names = [column for column in measures if column not in ("pair", "context")]
    wide = measures.set_index(["pair", "context"])[names].astype(float).unstack("context")
    wide = wide.reindex(scores.index)
    pairs = scores.index.to_numpy(dtype=np.int64)
    sims = [scores[f"sim{number}"].to_numpy(dtype=float) for number in (1, 2)]
    for name in map(str, names):
        first, second = (wide[name, number].to_numpy(dtype=float) for number in (1, 2))
        x, y = np.concatenate([first, second]), np.concatenate(sims)
        is_binary = name in BINARY
        yield _Question("score", name, x, y, np.concatenate([pairs, pairs]), is_binary)
        yield _Question("change", name, second - first, sims[1] - sims[0], pairs, False)


def _rating_questions(ratings: pd.DataFrame) -> Iterable[_Question]:
    by_context = ratings.groupby(["pair", "context"])["rating"]
    n, total = by_context.transform("size"), by_context.transform("sum")
    others = (total - ratings["rating"]) / (n - 1).where(n > 1)
    y = (ratings["rating"] - others).to_numpy(dtype=np.float64)
    pairs = ratings["pair"].to_numpy(dtype=np.int64)
    measures = {name: ratings[name].astype(float) for name in RATING_MEASURES if name in ratings}
    if "seconds" in measures:
        medians = measures["seconds"].groupby(ratings["annotator"]).transform("median")
        measures["annotator_seconds"] = medians
    for name, column in measures.items():
        yield _Question("rating", name, np.asarray(column, dtype=np.float64), y, pairs, False)


def _answer(
    question: _Question, *, rng: np.random.Generator, n_resamples: int, level: float
) -> dict[str, object]:
    x, y = question.x.round(DECIMALS), question.y.round(DECIMALS)  # equal means are ties
    is_defined = ~(np.isnan(x) | np.isnan(y))
    x, y, pairs = x[is_defined], y[is_defined], question.pairs[is_defined]
    statistic = difference if question.is_binary else spearman
    estimate = statistic(x, y)
    low, high = resample_pairs(
        estimate,
        (x, y),
        pairs,
        method="difference" if question.is_binary else "spearman",
        rng=rng,
        n_resamples=n_resamples,
        level=level,
    )
    return {
        "outcome": question.outcome,
        "confound": question.confound,
        "statistic": "difference" if question.is_binary else "rho",
        "estimate": estimate,
        "low": low,
        "high": high,
        "pvalue": _rank_test(x, y) if question.is_binary else float("nan"),
        "n": len(x),
        "n_pairs": len(np.unique(pairs)),
    }


def difference(x: Floats, y: Floats) -> float:
    """Return the mean of y where x = 1 less the mean where x = 0; NaN if either has no rows.

    >>> difference(np.array([1.0, 0.0, 1.0]), np.array([4.0, 1.0, 2.0]))
    2.0
    """
    ones, zeros = y[x == 1], y[x == 0]
    return float(ones.mean() - zeros.mean()) if len(ones) and len(zeros) else float("nan")


def _rank_test(x: Floats, y: Floats) -> float:
    ones, zeros = y[x == 1], y[x == 0]
    if not len(ones) or not len(zeros):
        return float("nan")
    distinct = np.unique(y)
    counts = (
        np.bincount(np.searchsorted(distinct, part), minlength=len(distinct))
        for part in (ones, zeros)
    )
    pvalue = float(change_tests(*counts).pvalues)
    return min(2 * pvalue, 1.0)


def resample_pairs(
    estimate: float,
    sides: tuple[Floats, Floats],
    pairs: NDArray[np.int64],
    *,
    method: Method | Literal["difference"],
    rng: np.random.Generator,
    n_resamples: int,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the interval of a statistic from resamples of pairs; NaN if it is undefined.

    `sides` are the two columns, rounded and without NaN, and `pairs` the pair of each row.
    """
    x, y = sides
    if len(x) < FEWEST_COMMON or n_resamples == 0:
        return float("nan"), float("nan")
    names, place = np.unique(pairs, return_inverse=True)
    shares = np.full(len(names), 1 / len(names))
    weights = rng.multinomial(len(names), shares, size=n_resamples).T.astype(float)
    if method == "difference":
        estimates = _weighted_difference(x, y, weights[place].T)
    else:
        columns = Columns.of(x[None], y[None])._replace(item=place)
        (estimates,) = correlate_weighted(columns, weights, [method])[method]
    return basic_interval(
        estimate,
        estimates,
        within="difference" if method == "difference" else "correlation",
        level=level,
    )


def _weighted_difference(x: Floats, y: Floats, weights: Floats) -> Floats:
    n_ones, n_zeros = weights @ (x == 1), weights @ (x == 0)
    defined = (n_ones > 0) & (n_zeros > 0)
    ones = (weights @ (y * (x == 1))) / np.where(defined, n_ones, 1)
    zeros = (weights @ (y * (x == 0))) / np.where(defined, n_zeros, 1)
    return np.where(defined, ones - zeros, np.nan)
