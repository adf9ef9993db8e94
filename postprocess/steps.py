"""The steps in order: ratings and a recipe in, scores and the whole account of them out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.aggregation import aggregate_ratings, refuse_unrated
from postprocess.calibration import Calibration, calibrate_ratings
from postprocess.exclusion import COUNTED, find_excluded
from postprocess.filtering import KEPT, LEFT_OUT, Filtering, filter_annotators
from postprocess.ratings import (
    Codes,
    RatingsError,
    Scale,
    Sittings,
    check_ratings,
    index_sittings,
    keep_whole,
    make_categories,
    with_groups,
)
from postprocess.recipe import Recipe
from postprocess.rescaling import rescale_ratings

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Outcome:
    """What post-processing made of the ratings.

    `ledger`, a row for each rating in the order of pair, context and annotator: pair, context,
    annotator, rating (as given), group, mark (if the input has it), calibrated (NaN if it was
    left out before), reason (why it was left out, "" if it was used).
    `annotators`, a row for each annotator of each group: group, annotator, n_ratings (given),
    n_used; mean, group_mean, deviation, shift, n_clipped (see `calibrate_ratings`); rho, bound,
    gain (see `filter_annotators`); decision ("kept" or "left out") and reason. NaN where a step
    was off or the annotator had been left out before it.
    `scores`: as `aggregate_ratings` returns it, on the scale of the recipe's rescaling.
    `used`: the ratings that made the scores, calibrated, in points of the survey's scale.
    """

    recipe: Recipe
    ledger: pd.DataFrame
    annotators: pd.DataFrame
    scores: pd.DataFrame
    used: pd.DataFrame
    groups_given: bool


def post_process(
    ratings: pd.DataFrame,
    recipe: Recipe,
    *,
    n_pairs: int,
    checks: pd.DataFrame | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Exclude, calibrate, filter, rescale and aggregate ratings as a recipe says.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 to 6)
        As `check_ratings` takes it, in points of the recipe's scale; the order does not matter.
    recipe : Recipe
        Which steps are taken, and their bounds.
    n_pairs : int
        Every context of the pairs 1 … n_pairs needs a rating in the end.
    checks : DataFrame, optional
        Answers to checkpoint items, as `count_failed` takes them.
    progress : callable, optional
        Called with the stage, and how much of how much of it is done.

    Returns
    -------
    Outcome
        The same for the same input, whatever the order of its rows and the machine.

    Raises
    ------
    RatingsError
        As `check_ratings`; or contexts without ratings, from the start or after a step.
    """
    tell = progress or _say_nothing
    tell("checking", 0, 1)
    scale = recipe.scale.as_scale()
    checked = with_groups(check_ratings(ratings, scale, n_pairs=n_pairs))
    excluded = find_excluded(checked, checks=checks, **recipe.exclusion.model_dump())
    counted = (excluded == COUNTED).to_numpy()
    refuse_unrated(checked, n_pairs)
    used = checked if counted.all() else checked[counted].reset_index(drop=True)
    used = used.assign(rating=keep_whole(used["rating"]))
    _refuse_after("leaving out what does not count", used, n_pairs)
    sittings = index_sittings(checked)
    of_used = sittings._replace(codes=sittings.codes[counted])
    tell("calibrating", 0, 1)
    calibration = _calibrate(used, scale, recipe, of_used)
    tell("filtering", 0, 1)
    filtering = _filter(calibration.ratings, recipe, of_used)
    kept = filtering.ratings
    _refuse_after("filtering", kept, n_pairs)
    rescaled = rescale_ratings(kept, scale, recipe.rescaling.as_scale())
    scores = aggregate_ratings(
        rescaled, n_pairs, progress=lambda done, of: tell("scoring", done, of)
    )
    annotators, reason = _account(excluded, sittings, calibration, filtering)
    calibrated = np.full(len(checked), np.nan)
    calibrated[counted] = calibration.ratings["rating"]
    ledger = checked.assign(calibrated=calibrated, reason=reason)
    return Outcome(recipe, ledger, annotators, scores, kept, "group" in ratings)


def _calibrate(used: pd.DataFrame, scale: Scale, recipe: Recipe, sittings: Sittings) -> Calibration:
    """The calibration, or its figures alone where the recipe has it off."""
    section = recipe.calibration
    threshold = section.threshold if section.enabled else np.inf
    return calibrate_ratings(used, scale, threshold=threshold, step=section.step, sittings=sittings)


def _filter(calibrated: pd.DataFrame, recipe: Recipe, sittings: Sittings) -> Filtering:
    """The filtering, or its figures alone where the recipe has it off."""
    section = recipe.filtering
    filtering = filter_annotators(
        calibrated,
        k=section.k,
        minimum_rho=section.minimum_rho,
        gain_share=section.gain_share,
        sittings=sittings,
    )
    if section.enabled:
        return filtering
    return Filtering(calibrated, filtering.annotators.assign(decision=KEPT, reason=""))


def _account(
    excluded: pd.Series, sittings: Sittings, calibration: Calibration, filtering: Filtering
) -> tuple[pd.DataFrame, pd.Series]:
    """A row for each sitting with all its figures; and why each rating was left out."""
    judged = filtering.annotators
    was_judged = (judged["n_ratings"] > 0).to_numpy()
    is_left_out = was_judged & (judged["decision"] == LEFT_OUT).to_numpy()
    code, reasons = pd.factorize(judged["reason"].where(is_left_out, COUNTED))
    names = [*excluded.cat.categories, *sorted(set(reasons) - {COUNTED})]
    of_sitting = np.array([names.index(reason) for reason in reasons])[code]
    codes = excluded.cat.codes.to_numpy(dtype=np.int64)
    codes = np.where(codes > 0, codes, of_sitting[sittings.codes])
    n_sittings = len(sittings.group)
    first = np.array(names, dtype=object)[_first(codes, sittings)]
    figures = ["mean", "group_mean", "deviation", "shift", "n_clipped"]
    annotators = (
        sittings.table()
        .assign(
            n_ratings=np.bincount(sittings.codes, minlength=n_sittings),
            n_used=np.bincount(sittings.codes[codes == 0], minlength=n_sittings),
        )
        .join(calibration.annotators.loc[was_judged, figures])
        .join(judged.loc[was_judged, ["rho", "bound", "gain"]])
        .assign(
            decision=np.where(was_judged & ~is_left_out, KEPT, LEFT_OUT),
            reason=np.where(was_judged, judged["reason"], first),
        )
    )
    return annotators, pd.Series(make_categories(codes, names), index=excluded.index)


def _first(codes: NDArray[np.integer[Any]], sittings: Sittings) -> Codes:
    """The code of each sitting's first rating."""
    first = np.empty(len(sittings.group), dtype=np.int64)
    first[sittings.codes[::-1]] = codes[::-1]  # of several writes the last stays
    return first


def _refuse_after(step: str, left: pd.DataFrame, n_pairs: int) -> None:
    try:
        refuse_unrated(left, n_pairs)
    except RatingsError as error:
        raise RatingsError(
            f"after {step}, {error}; collect more ratings or choose a milder recipe"
        ) from error


def _say_nothing(stage: str, done: int, of: int) -> None:
    """For those who do not want to know."""
