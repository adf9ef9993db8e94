"""The steps in order: ratings and a recipe in, scores and the whole account of them out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.steps.aggregation import aggregate_numbers, refuse_unrated
from postprocess.steps.calibration import calibrate_numbers
from postprocess.steps.exclusion import COUNTED, find_excluded
from postprocess.steps.filtering import KEPT, LEFT_OUT, judge_annotators
from postprocess.steps.recipe import Recipe
from postprocess.steps.rescaling import rescale_points
from postprocess.table.counting_sort import Placed
from postprocess.table.numbering import (
    Codes,
    Floats,
    Integers,
    Numbers,
    Sittings,
    number_cells,
    number_items,
    number_sittings,
    take_texts,
)
from postprocess.table.parallel import as_places, fill_parts, take_all
from postprocess.table.ratings import (
    RatingsError,
    Scale,
    keep_whole,
    make_categories,
    order_ratings,
    with_groups,
)

Progress = Callable[[str, int, int], None]
OF_CALIBRATION = ["mean", "group_mean", "deviation", "shift", "n_clipped"]


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
    """

    recipe: Recipe
    ledger: pd.DataFrame
    annotators: pd.DataFrame
    scores: pd.DataFrame
    groups_given: bool

    @cached_property
    def used(self) -> pd.DataFrame:
        """The ratings that made the scores, calibrated, in points of the survey's scale."""
        rows = self.ledger[self.ledger["reason"] == COUNTED].reset_index(drop=True)
        rows["rating"] = keep_whole(rows["calibrated"])
        return rows.drop(columns=["calibrated", "reason"])


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
    ordered = order_ratings(ratings, scale, n_pairs=n_pairs)
    if isinstance(ordered, Placed):
        checked, sitting, sittings = ordered
    else:
        checked = with_groups(ordered)
        sitting, sittings = number_sittings(checked)
    item = number_items(checked)
    refuse_unrated(item, n_pairs)
    excluded = find_excluded(checked, checks=checks, **recipe.exclusion.model_dump())
    counts = (excluded == COUNTED).to_numpy()
    counted = _number_counted(checked, counts, item, (sitting, sittings))
    if not counts.all():
        with _explaining("leaving out what does not count"):
            refuse_unrated(counted.item, n_pairs)
    tell("calibrating", 0, 1)
    points, of_calibration = _calibrate(counted, scale, recipe)
    calibrated = counted._replace(points=points)
    tell("filtering", 0, 1)
    judged = _judge(calibrated, recipe)
    scores = _score(calibrated, judged, recipe, n_pairs=n_pairs, tell=tell)
    figures = of_calibration.join(judged)
    annotators, reason = _account(excluded, sitting, sittings, figures)
    of_rating = take_all(points, counted.cell)
    ledger = checked.assign(calibrated=_spread(of_rating, counts), reason=reason)
    return Outcome(recipe, ledger, annotators, scores, "group" in ratings)


def _number_counted(
    checked: pd.DataFrame,
    counts: NDArray[np.bool_],
    item: Codes,
    sat: tuple[Codes, Sittings],
) -> Numbers:
    """The ratings that count, as numbers."""
    sitting, sittings = sat
    if counts.all():
        return number_cells(item, sitting, checked["rating"], sittings)
    ratings = keep_whole(checked["rating"][counts])
    return number_cells(item[counts], sitting[counts], ratings, sittings)


def _calibrate(counted: Numbers, scale: Scale, recipe: Recipe) -> tuple[Floats, pd.DataFrame]:
    """The calibration, or its figures alone where the recipe has it off."""
    section = recipe.calibration
    threshold = section.threshold if section.enabled else np.inf
    return calibrate_numbers(counted, scale, threshold=threshold, step=section.step)


def _judge(calibrated: Numbers, recipe: Recipe) -> pd.DataFrame:
    """The annotators by filtering, or its figures alone where the recipe has it off."""
    section = recipe.filtering
    judged = judge_annotators(
        calibrated,
        k=section.k,
        minimum_rho=section.minimum_rho,
        gain_share=section.gain_share,
    )
    return judged if section.enabled else judged.assign(decision=KEPT, reason="")


def _score(
    calibrated: Numbers, judged: pd.DataFrame, recipe: Recipe, *, n_pairs: int, tell: Progress
) -> pd.DataFrame:
    """The scores by the annotators who are kept, on the scale of the recipe's rescaling."""
    is_kept = (judged["decision"] == KEPT).to_numpy()[calibrated.sitting]
    scales = recipe.scale.as_scale(), recipe.rescaling.as_scale()
    rescaled = rescale_points(calibrated.points, *scales)
    with _explaining("filtering"):
        return aggregate_numbers(
            calibrated.item,
            calibrated.cell,
            np.where(is_kept, rescaled, np.nan),
            n_pairs,
            progress=lambda done, of: tell("scoring", done, of),
        )


def _account(
    excluded: pd.Series, sitting: Codes, sittings: Sittings, figures: pd.DataFrame
) -> tuple[pd.DataFrame, pd.Series]:
    """A row for each sitting with all its figures; and why each rating was left out.

    `figures`: those of calibration and filtering, a row for each sitting.
    """
    codes = excluded.cat.codes.to_numpy()
    was_judged = figures["mean"].notna().to_numpy()
    is_left_out = was_judged & (figures["decision"] == LEFT_OUT).to_numpy()
    of_sitting, reasons = pd.factorize(figures["reason"].where(is_left_out, COUNTED))
    names = [*excluded.cat.categories, *sorted(set(reasons) - {COUNTED})]
    left_out = np.array([names.index(reason) for reason in reasons], dtype=codes.dtype)[of_sitting]
    n_counted = figures["n_ratings"]
    n_ratings = n_counted + np.bincount(sitting[codes > 0], minlength=len(figures))
    codes = _fill_reasons(codes, left_out, sitting)
    given = figures[[*OF_CALIBRATION, "rho", "bound", "gain"]]
    reason = figures["reason"]
    if not was_judged.all():
        given = given[was_judged]
        reason = reason.where(was_judged, take_texts(names, _first(codes, sitting, len(figures))))
    annotators = (
        sittings.table()
        .assign(n_ratings=n_ratings, n_used=n_counted.where(~is_left_out, 0))
        .join(given)
        .assign(
            decision=take_texts([LEFT_OUT, KEPT], (was_judged & ~is_left_out).astype(np.int64)),
            reason=reason,
        )
    )
    return annotators, pd.Series(make_categories(codes, names), index=excluded.index)


def _fill_reasons(codes: Integers, left_out: Integers, sitting: Codes) -> Integers:
    """The codes of ratings, and of those that are 0 the one of their sitting."""

    def fill(rows: slice) -> Integers:
        return np.where(codes[rows] > 0, codes[rows], left_out[as_places(sitting[rows])])

    return fill_parts(np.empty_like(codes), fill)


def _first(codes: Integers, sitting: Codes, n_sittings: int) -> Codes:
    """The code of each sitting's first rating."""
    first = np.empty(n_sittings, dtype=np.int64)
    first[sitting[::-1]] = codes[::-1]  # of several writes the last stays
    return first


def _spread(points: Floats, counts: NDArray[np.bool_]) -> Floats:
    """The ratings that count at their places, NaN at the others."""
    if len(points) == len(counts):
        return points
    spread = np.full(len(counts), np.nan)
    spread[counts] = points
    return spread


@contextmanager
def _explaining(step: str) -> Iterator[None]:
    """Say after which step the refusal of a context without ratings comes."""
    try:
        yield
    except RatingsError as error:
        raise RatingsError(
            f"after {step}, {error}; collect more ratings or choose a milder recipe"
        ) from error


def _say_nothing(stage: str, done: int, of: int) -> None:
    """For those who do not want to know."""
