"""Running the steps in order: from ratings and a recipe to scores, ledger and annotators."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from postprocess.steps.aggregation import aggregate_numbers, refuse_unrated
from postprocess.steps.calibration import calibrate_numbers
from postprocess.steps.exclusion import COUNTED, find_excluded
from postprocess.steps.filtering import KEPT, LEFT_OUT, judge_annotators
from postprocess.steps.recipe import Recipe
from postprocess.steps.rescaling import rescale_points
from postprocess.table.counting_sort import Placed
from postprocess.table.numbering import (
    Members,
    Numbers,
    number_cells,
    number_items,
    number_members,
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
from postprocess.types import Bools, Codes, Floats, Integers

Progress = Callable[[str, int, int], None]
OF_CALIBRATION = ["mean", "group_mean", "deviation", "shift", "n_clipped"]


@dataclass(frozen=True)
class Outcome:
    """The result of post-processing.

    `ledger`, a row for each rating in the order of pair, context and annotator: pair, context,
    annotator, rating (as given), group, mark (if the input has it), calibrated (NaN if it was
    left out before), reason (why it was left out, "" if it was used).
    `annotators`, a row for each annotator of each group: group, annotator, n_ratings (given),
    n_used; mean, group_mean, deviation, shift, n_clipped (see `calibrate_numbers`); rho, bound,
    gain (see `judge_annotators`); decision ("kept" or "left out") and reason. NaN if a step
    was disabled or the annotator had been left out before it.
    `scores`: as `aggregate_ratings` returns it, on the scale of the recipe's rescaling.
    """

    recipe: Recipe
    ledger: pd.DataFrame
    annotators: pd.DataFrame
    scores: pd.DataFrame
    groups_given: bool

    @cached_property
    def used(self) -> pd.DataFrame:
        """The calibrated ratings behind the scores, in points of the survey's scale."""
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
    """Exclude, calibrate, filter, rescale and aggregate ratings according to a recipe.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 to 6)
        As `check_ratings` takes it, in points of the recipe's scale; the order does not matter.
    recipe : Recipe
        The enabled steps and their bounds.
    n_pairs : int
        Every context of the pairs 1 … n_pairs must keep a rating.
    checks : DataFrame, optional
        Answers to checkpoint items, as `count_failed` takes them.
    progress : callable, optional
        Called with the stage, the amount done and the total amount.

    Returns
    -------
    Outcome
        The same for the same input, whatever the order of its rows and the machine.

    Raises
    ------
    RatingsError
        As `check_ratings`; or contexts without ratings, from the start or after a step.
    """
    report = progress or _ignore_progress
    report("checking", 0, 1)
    scale = recipe.scale.as_scale()
    checked, member, members = _order(ratings, scale, n_pairs)
    item = number_items(checked)
    refuse_unrated(item, n_pairs)
    excluded = find_excluded(checked, checks=checks, **recipe.exclusion.model_dump())
    counts = (excluded == COUNTED).to_numpy()
    counted = _number_counted(checked, counts, item, (member, members))
    if not counts.all():
        with _explaining("leaving out what does not count"):
            refuse_unrated(counted.item, n_pairs)
    report("calibrating", 0, 1)
    points, of_calibration = _calibrate(counted, scale, recipe)
    calibrated = counted._replace(points=points)
    report("filtering", 0, 1)
    judged = _judge(calibrated, recipe)
    scores = _score(calibrated, judged, recipe, n_pairs=n_pairs, report=report)
    figures = of_calibration.join(judged)
    annotators, reason = _account(excluded, member, members, figures)
    of_rating = take_all(points, counted.cell)
    ledger = checked.assign(calibrated=_spread(of_rating, counts), reason=reason)
    return Outcome(recipe, ledger, annotators, scores, "group" in ratings)


def _order(
    ratings: pd.DataFrame, scale: Scale, n_pairs: int
) -> tuple[pd.DataFrame, Codes, Members]:
    """Check and sort the ratings; also return the member of each rating, and all members."""
    ordered = order_ratings(ratings, scale, n_pairs=n_pairs)
    if isinstance(ordered, Placed):
        return ordered
    checked = with_groups(ordered)
    return checked, *number_members(checked)


def _number_counted(
    checked: pd.DataFrame,
    counts: Bools,
    item: Codes,
    numbered: tuple[Codes, Members],
) -> Numbers:
    """Number the ratings that count."""
    member, members = numbered
    if counts.all():
        return number_cells(item, member, checked["rating"], members)
    ratings = keep_whole(checked["rating"][counts])
    return number_cells(item[counts], member[counts], ratings, members)


def _calibrate(counted: Numbers, scale: Scale, recipe: Recipe) -> tuple[Floats, pd.DataFrame]:
    """Calibrate; if the recipe disables calibration, compute its figures only."""
    section = recipe.calibration
    threshold = section.threshold if section.enabled else np.inf
    return calibrate_numbers(counted, scale, threshold=threshold, step=section.step)


def _judge(calibrated: Numbers, recipe: Recipe) -> pd.DataFrame:
    """Judge the annotators; if the recipe disables filtering, compute its figures only."""
    section = recipe.filtering
    judged = judge_annotators(
        calibrated,
        k=section.k,
        minimum_rho=section.minimum_rho,
        gain_share=section.gain_share,
    )
    return judged if section.enabled else judged.assign(decision=KEPT, reason="")


def _score(
    calibrated: Numbers, judged: pd.DataFrame, recipe: Recipe, *, n_pairs: int, report: Progress
) -> pd.DataFrame:
    """Compute the scores from the annotators who are kept, on the recipe's published scale."""
    is_kept = (judged["decision"] == KEPT).to_numpy()[calibrated.member]
    scales = recipe.scale.as_scale(), recipe.rescaling.as_scale()
    rescaled = rescale_points(calibrated.points, *scales)
    with _explaining("filtering"):
        return aggregate_numbers(
            calibrated.item,
            calibrated.cell,
            np.where(is_kept, rescaled, np.nan),
            n_pairs,
            progress=lambda done, of: report("scoring", done, of),
        )


def _account(
    excluded: pd.Series, member: Codes, members: Members, figures: pd.DataFrame
) -> tuple[pd.DataFrame, pd.Series]:
    """Return a row for each member with all figures, and the reason for each excluded rating.

    `figures` are those of calibration and filtering, a row for each member.
    """
    codes = excluded.cat.codes.to_numpy()
    was_judged = figures["mean"].notna().to_numpy()
    is_left_out = was_judged & (figures["decision"] == LEFT_OUT).to_numpy()
    of_member, reasons = pd.factorize(figures["reason"].where(is_left_out, COUNTED))
    names = [*excluded.cat.categories, *sorted(set(reasons) - {COUNTED})]
    left_out = np.array([names.index(reason) for reason in reasons], dtype=codes.dtype)[of_member]
    n_counted = figures["n_ratings"]
    n_ratings = n_counted + np.bincount(member[codes > 0], minlength=len(figures))
    codes = _fill_reasons(codes, left_out, member)
    given = figures[[*OF_CALIBRATION, "rho", "bound", "gain"]]
    reason = figures["reason"]
    if not was_judged.all():
        given = given[was_judged]
        reason = reason.where(was_judged, take_texts(names, _first(codes, member, len(figures))))
    annotators = (
        members.table()
        .assign(n_ratings=n_ratings, n_used=n_counted.where(~is_left_out, 0))
        .join(given)
        .assign(
            decision=take_texts([LEFT_OUT, KEPT], (was_judged & ~is_left_out).astype(np.int64)),
            reason=reason,
        )
    )
    return annotators, pd.Series(make_categories(codes, names), index=excluded.index)


def _fill_reasons(codes: Integers, left_out: Integers, member: Codes) -> Integers:
    """Return the codes of ratings, replacing 0 by the code of their member."""

    def fill(rows: slice) -> Integers:
        return np.where(codes[rows] > 0, codes[rows], left_out[as_places(member[rows])])

    return fill_parts(np.empty_like(codes), fill)


def _first(codes: Integers, member: Codes, n_members: int) -> Codes:
    """Return the code of each member's first rating."""
    first = np.empty(n_members, dtype=np.int64)
    first[member[::-1]] = codes[::-1]  # the last of several writes stays
    return first


def _spread(points: Floats, counts: Bools) -> Floats:
    """Return the points at the positions of ratings that count, NaN elsewhere."""
    if len(points) == len(counts):
        return points
    spread = np.full(len(counts), np.nan)
    spread[counts] = points
    return spread


@contextmanager
def _explaining(step: str) -> Iterator[None]:
    """Name the step after which a context has no ratings in the error."""
    try:
        yield
    except RatingsError as error:
        raise RatingsError(
            f"after {step}, {error}; collect more ratings or choose a milder recipe"
        ) from error


def _ignore_progress(stage: str, done: int, of: int) -> None:
    """Progress callback that does nothing."""
