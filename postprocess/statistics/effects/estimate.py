"""The model of annotator effects: estimates from the ratings of a study."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from postprocess.reporting.phrases import write_count
from postprocess.statistics.effects.changes import point_changes, share_errors
from postprocess.statistics.effects.design import Design, design_study
from postprocess.statistics.effects.fitting import EffectsError, Fit, Progress, fit_model
from postprocess.statistics.effects.tables import (
    components_table,
    crossed_tables,
    pairs_table,
    shares_table,
    thresholds_table,
)
from postprocess.table.ratings import Scale

LIMITS = (0.05, 0.1, 0.2)  # changes whose shares are always estimated, as shares of the scale
LEAST = 0.1  # the default of `least`, likewise
N_DRAWS = 4000
# numbers below which a standard deviation is hardly determined
FEW = {"pair": 20, "annotator": 10, "questionnaire": 6}


@dataclass(frozen=True)
class Effects:
    """The estimated effects on the ratings of a study.

    `pairs`, index pair: n1, n2 (ratings), raw (mean of context 2 less mean of context 1), change
    (posterior mean), low, high, all in published points; latent, latent_low, latent_high, the same
    on the latent scale (log odds); sign_error (probability that the change is 0 or has the other
    sign); larger (probability that it is larger than `least`, in either direction); clear (whether
    sign_error is below 0.025).
    `components`, index component (pair, context, annotator, questionnaire, noise): deviation, low,
    high (log odds; see `components_table`), share (of the variance of a single rating), points.
    `annotators`, index annotator, and `questionnaires`, index group: n_ratings, effect, low, high
    (log odds), points (of a middling text); NaN for questionnaires that have no component.
    `shares`, index limit (published points): share, low, high of the pairs whose true change is
    larger.
    `thresholds`: below, above (points of the scale), threshold, deviation (standard error).
    `figures`: name → number, of the whole; `notes`: what was not estimated, and why.
    """

    pairs: pd.DataFrame
    components: pd.DataFrame
    annotators: pd.DataFrame
    questionnaires: pd.DataFrame
    shares: pd.DataFrame
    thresholds: pd.DataFrame
    figures: dict[str, float]
    notes: tuple[str, ...]


def estimate_effects(
    ratings: pd.DataFrame,
    scale: Scale,
    published: Scale,
    *,
    least: float | None = None,
    n_draws: int = N_DRAWS,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Effects:
    """Estimate a cumulative logit mixed model of single ratings, and the changes by it.

    The log odds of a rating above a point are the effects of the context, the annotator and the
    questionnaire less the threshold of the point. The effects of the two contexts of a pair have a
    common and an own part. All are random: normal with mean 0 and estimated variances. Changes are
    then drawn towards 0 by their estimated distribution, which need not be normal.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        pair, context, annotator and rating in points of `scale`, and perhaps group, as
        `check_ratings` returns them. Only ratings that count, neither calibrated nor filtered.
    scale, published : Scale
        The scale of the ratings, and the one on which changes are reported.
    least : float, optional
        The change, in published points, from which a pair counts as changed in `larger`; by
        default a tenth of the published scale.
    n_draws : int
        From the posterior distribution, for intervals in points; an even number.
    rng : Generator
        For these draws.
    progress : callable, optional
        Called with a stage, and 0 and 0, since the number of steps is not known.

    Returns
    -------
    Effects
        With 95 % intervals. Those of changes are empirical Bayes intervals: of many pairs of the
        estimated population, 95 % contain the true change, which is that of the mean rating of
        infinitely many annotators. The changes themselves are posterior means.

    Raises
    ------
    RatingsError
        As `design_study`.
    EffectsError
        The likelihood has no maximum inside the range of the parameters; or `least` is not above 0
        and below the length of the scale, or `n_draws` not even.

    Notes
    -----
    Maximum likelihood by the Laplace approximation, as `clmm` of the R package ordinal. Points of
    the scale that do not occur have the probability 0, their maximum likelihood estimate.

    References
    ----------
    McCullagh (1980), Regression models for ordinal data; Christensen (2022), ordinal: Regression
    models for ordinal data; Gelman and Tuerlinckx (2000), Type S error rates; Stephens (2017),
    False discovery rates: a new deal.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> table = pd.MultiIndex.from_product(
    ...     [range(1, 13), (1, 2), list("ABCDEF")], names=["pair", "context", "annotator"]
    ... ).to_frame(index=False)
    >>> true = rng.normal(3, 1, (12, 2))[table["pair"] - 1, table["context"] - 1]
    >>> table["rating"] = (true + rng.normal(0, 1, len(true))).round().clip(0, 6)
    >>> effects = estimate_effects(table, Scale(), Scale(0, 10), n_draws=100, rng=rng)
    >>> bool((effects.pairs["change"].abs() < effects.pairs["raw"].abs()).mean() > 0.8)
    True
    """
    length = published.maximum - published.minimum
    least = LEAST * length if least is None else least
    if not 0 < least < length:
        raise EffectsError(f"the least change must be above 0 and below {length:g}, got {least:g}")
    if n_draws < 2 or n_draws % 2:
        raise EffectsError(f"the number of draws must be even and above 0, got {n_draws}")
    design = design_study(ratings, scale)
    obstacle = find_obstacle(design)
    fit = fit_model(design, with_questionnaires=not obstacle, progress=progress)
    if progress:
        progress("drawing changes", 0, 0)
    ratio = length / (scale.maximum - scale.minimum)
    values = published.minimum + ratio * (design.points - scale.minimum)
    limits = sorted({*(share * length for share in LIMITS), least})
    points = point_changes(fit, values, limits, n_draws=n_draws, rng=rng)
    pairs = pairs_table(fit, values, points, points.larger[:, limits.index(least)])
    components = components_table(fit, values)
    annotators, questionnaires = crossed_tables(fit, values)
    return Effects(
        pairs,
        components,
        annotators,
        questionnaires,
        shares_table(points, limits, share_errors(fit, values, limits, rng)),
        thresholds_table(fit),
        _list_figures(fit, pairs, least),
        tuple(list_notes(fit, components, scale, obstacle)),
    )


def find_obstacle(design: Design) -> str:
    """Return why the variance of questionnaires cannot be estimated, or ""."""
    n = design.n_questionnaires
    if n < 2:
        return "there is only one questionnaire"
    number = np.cumsum(~design.is_annotator)[design.questionnaire] - 1
    for what, of in (("context", design.context), ("annotator", design.annotator)):
        distinct = np.unique(np.column_stack([number, of]), axis=0)[:, 0]
        if (np.bincount(distinct, minlength=n) < 2).sum() * 2 > n:
            return f"most questionnaires have only one {what}"
    return ""


def list_notes(fit: Fit, components: pd.DataFrame, scale: Scale, obstacle: str) -> Iterator[str]:
    """Yield what was not estimated or is uncertain, in sentences."""
    design = fit.mode.design
    n_of = {
        "pair": len(design.pairs),
        "annotator": len(design.names) - design.n_questionnaires,
        "questionnaire": design.n_questionnaires,
    }
    if n_unused := scale.n_points - len(design.points):
        yield (
            f"{write_count(n_unused, 'point')} of the scale {scale} did not occur and counted as "
            "impossible"
        )
    if obstacle:
        yield f"effects of questionnaires were not estimated: {obstacle}"
    for name, n in n_of.items():
        if name == "questionnaire" and obstacle:
            continue
        if not fit.deviations[name]:
            yield (
                f"the standard deviation of the component {name} was estimated as 0; intervals do "
                "not include the uncertainty of this estimate"
            )
        elif n < FEW[name]:
            yield (
                f"the standard deviation of the component {name} is uncertain, since there are "
                f"only {write_count(n, name)}"
            )
        elif components["low"].isna()[name]:
            yield (
                f"the standard deviation of the component {name} is uncertain: much lower and much "
                "higher ones are nearly as likely, so that it has no interval"
            )


def _list_figures(fit: Fit, pairs: pd.DataFrame, least: float) -> dict[str, float]:
    design, clear = fit.mode.design, pairs["clear"]
    return {
        "ratings": len(design.point),
        "pairs": len(pairs),
        "annotators": len(design.names) - design.n_questionnaires,
        "questionnaires": design.n_questionnaires,
        "log_likelihood": fit.mode.log_likelihood,
        "evaluations": fit.n_evaluations,
        "least": least,
        "clear": int(clear.sum()),
        "sign_error_of_clear": float(pairs.loc[clear, "sign_error"].mean()),
        "sign_error_of_all": float(pairs["sign_error"].mean()),
    }
