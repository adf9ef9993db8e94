"""The tables of an estimated model: pairs, components, annotators, questionnaires, thresholds."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from postprocess.statistics.effects.changes import PointChanges, Z, expected_ratings, latent_changes
from postprocess.statistics.effects.fitting import Fit
from postprocess.statistics.effects.laplace import effect_slopes
from postprocess.statistics.effects.parameters import COMPONENTS, threshold_slopes
from postprocess.types import Floats

MOST_ERROR = 1.0  # of a log standard deviation that has an interval
NOISE = "noise"
NOISE_VARIANCE = np.pi**2 / 3  # of the logistic distribution
CLEAR = 0.025  # sign errors below it: the 95 % interval on the latent scale excludes 0


def pairs_table(fit: Fit, values: Floats, points: PointChanges, larger: Floats) -> pd.DataFrame:
    """Return the table of pairs; see `Effects`.

    `values` are those of the points that occur, on the published scale; `larger`, shape (n_pairs,),
    is the probability of a change that counts.
    """
    design, latent = fit.mode.design, latent_changes(fit)
    latent_low, latent_high = latent.quantiles(np.array([0.025, 0.975])).T
    n = np.bincount(design.context, minlength=design.n_contexts)
    means = np.bincount(design.context, values[design.point], minlength=len(n)) / n
    pairs = pd.DataFrame(
        {
            "n1": n[::2],
            "n2": n[1::2],
            "raw": means[1::2] - means[::2],
            "change": points.change,
            "low": points.low,
            "high": points.high,
            "latent": latent.mean,
            "latent_low": latent_low,
            "latent_high": latent_high,
            "sign_error": latent.sign_error,
            "larger": larger,
            "clear": latent.sign_error < CLEAR,
        },
        index=pd.Index(design.pairs, name="pair"),
    )
    return pairs.sort_index()


def shares_table(points: PointChanges, limits: Sequence[float], errors: Floats) -> pd.DataFrame:
    """Return the share of pairs whose change is larger than each limit; see `Effects`.

    `errors`, shape (n_limits,): the further standard errors of the shares, which widen each side d
    of the interval to √(d² + (1.96 error)²).
    """
    share = points.shares.mean(axis=0)
    low, high = np.quantile(points.shares, [0.025, 0.975], axis=0)
    return pd.DataFrame(
        {
            "share": share,
            "low": np.maximum(share - np.hypot(share - low, Z * errors), 0),
            "high": np.minimum(share + np.hypot(high - share, Z * errors), 1),
        },
        index=pd.Index(limits, name="limit"),
    )


def components_table(fit: Fit, values: Floats) -> pd.DataFrame:
    """Return the standard deviation of each component, and what it means in points.

    `low`, `high`: the Wald interval of the log standard deviation, NaN if that has a standard error
    above 1, since the likelihood is then nearly flat, or the estimate is 0. All NaN for
    questionnaires if they have no component.
    `points`: how much higher the expected rating of a middling text (all other effects 0) is if the
    effect is one standard deviation instead of 0, the mean of both directions; for the noise, the
    standard deviation of single ratings of that text.
    """
    errors = np.sqrt(fit.covariance.diagonal())[-len(COMPONENTS) :]
    is_known = fit.is_free[-len(COMPONENTS) :] & (errors <= MOST_ERROR)
    factor = np.where(is_known, np.exp(Z * errors), np.nan)
    deviations = np.array(list(fit.deviations.values()))
    up, down = (_expect(fit, sign * deviations, values) for sign in (1, -1))
    mean, square = (_expect(fit, np.zeros(1), power).item() for power in (values, values**2))
    every = np.append(deviations, np.sqrt(NOISE_VARIANCE))
    table = pd.DataFrame(
        {
            "deviation": every,
            "low": np.append(deviations / factor, np.nan),
            "high": np.append(deviations * factor, np.nan),
            "share": every**2 / (every**2).sum(),
            "points": np.append((up - down) / 2, np.sqrt(square - mean**2)),
        },
        index=pd.Index([*COMPONENTS, NOISE], name="component"),
    )
    if not fit.with_questionnaires:
        table.loc[COMPONENTS[-1]] = np.nan
    return table


def crossed_tables(fit: Fit, values: Floats) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the effects of annotators, and of questionnaires; see `Effects`."""
    mode, design = fit.mode, fit.mode.design
    slopes = effect_slopes(mode)[design.n_contexts :]
    added = ((slopes @ fit.covariance) * slopes).sum(axis=1)
    is_free = np.where(design.is_annotator, *fit.is_free[-2:])
    effect = np.where(is_free, mode.crossed, 0.0)
    variance = mode.precision.covariance.crossed + added
    reach = np.where(is_free, Z * np.sqrt(variance), np.nan)
    n = np.bincount(design.annotator, minlength=design.n_crossed)
    n += np.bincount(design.questionnaire, minlength=design.n_crossed)
    table = pd.DataFrame(
        {
            "n_ratings": n,
            "effect": effect,
            "low": effect - reach,
            "high": effect + reach,
            "points": _expect(fit, effect, values) - _expect(fit, np.zeros(1), values),
        },
        index=design.names,
    )
    annotators, questionnaires = table[design.is_annotator], table[~design.is_annotator]
    if not fit.with_questionnaires:
        questionnaires = questionnaires.assign(effect=np.nan, points=np.nan)
    return (
        annotators.rename_axis("annotator").sort_index(),
        questionnaires.rename_axis("group").sort_index(),
    )


def thresholds_table(fit: Fit) -> pd.DataFrame:
    """Return the thresholds between neighbouring points that occur; see `Effects`."""
    parameters, points = fit.mode.parameters, fit.mode.design.points
    n = len(parameters.of_thresholds)
    slopes = threshold_slopes(parameters.of_thresholds)
    covariance = slopes @ fit.covariance[:n, :n] @ slopes.T
    return pd.DataFrame(
        {
            "below": points[:-1],
            "above": points[1:],
            "threshold": parameters.thresholds,
            "deviation": np.sqrt(covariance.diagonal()),
        }
    )


def _expect(fit: Fit, places: Floats, values: Floats) -> Floats:
    """Return the expected ratings at places of the latent scale, for one annotator."""
    (expected,) = expected_ratings(places, fit.mode.parameters.thresholds[None], 0.0, values)
    return np.asarray(expected)
