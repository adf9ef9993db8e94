"""Running the steps in order: from ratings and a recipe to scores, ledger and annotators."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from postprocess.steps import core
from postprocess.steps.core import CONSTANT, KEPT, LEFT_OUT, take_texts
from postprocess.steps.exclusion import COUNTED, find_excluded
from postprocess.steps.recipe import Recipe
from postprocess.table.counts import Ratings, count_ratings, refuse_unrated
from postprocess.table.groups import with_groups
from postprocess.table.parallel import fill_parts
from postprocess.table.ratings import (
    RatingsError,
    check_ratings,
    get_codes,
    keep_whole,
    make_categories,
    number_items,
    number_members,
)
from postprocess.types import Bools, Centre, Codes, Floats, Integers, NContexts

Progress = Callable[[str, int, int], None]
OF_CALIBRATION = ["mean", "group_mean", "deviation", "shift", "n_clipped"]
PLACES = {1: ("",), 2: (" in context 1", " in context 2", " in either context")}
NO_ITEMS = np.empty(0, dtype=np.int64)
UNCOMPARED = "rests on a questionnaire in which nobody could be compared"

MILDER = "collect more ratings or choose a milder recipe"
UNRATED = (
    "collect ratings of them, or leave these pairs out: delete their rows of the stimuli and their "
    "ratings, and number the pairs below anew"
)


@dataclass(frozen=True)
class Outcome:
    """The result of post-processing.

    `ledger`, a row for each rating in the order of pair, context and annotator: pair, context,
    annotator, rating (as given), group, mark (if the input has it), calibrated (NaN if it was
    left out before), reason (why it was left out, "" if it was used).
    `annotators`, a row for each annotator of each group: group, annotator, n_ratings (given),
    n_used; mean, group_mean, deviation, shift, n_clipped (see `calibrate_ratings`); rho, bound,
    gain (see `filter_annotators`); decision ("kept" or "left out") and reason. NaN if a step
    was disabled or the annotator had been left out before it.
    `pairs`: as `aggregate_ratings` returns it, on the scale of the recipe's rescaling. A context
    whose ratings were all left out as constant has none of the figures, nor has the change of its
    pair. With `filtering.constant_from`, the column note says so, and which pairs rest on groups in
    which nobody could be compared; it is missing if there is nothing to say.
    """

    recipe: Recipe
    ledger: pd.DataFrame
    annotators: pd.DataFrame
    pairs: pd.DataFrame
    groups_given: bool
    n_decided: int = 0  # pairs without a majority whose score is a decision

    @property
    def unit(self) -> str:
        """What has a score: a context of a pair or, if pairs have one context, an item."""
        return "context" if self.n_contexts == 2 else "item"

    @property
    def n_contexts(self) -> NContexts:
        """The number of contexts of each pair."""
        return 2 if "n2" in self.pairs else 1

    @cached_property
    def n_used(self) -> Integers:
        """The number of used ratings of each context, shape (n_pairs, n_contexts)."""
        return count_used(self.pairs)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The rows of `pairs` with a score in each context."""
        sims = [f"sim{number}" for number in range(1, self.n_contexts + 1)]
        return self.pairs[self.pairs[sims].notna().all(axis="columns")]

    @cached_property
    def uncompared(self) -> pd.DataFrame:
        """The contexts that rest on a group in which no rho is defined: pair, context."""
        compared = self.annotators.loc[self.annotators["rho"].notna(), "group"]
        is_alone = ~self.ledger["group"].isin(compared) & (self.ledger["reason"] == COUNTED)
        return self.ledger.loc[is_alone, ["pair", "context"]].drop_duplicates()

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
    n_contexts: NContexts = 2,
    centre: Centre = "mean",
    checks: pd.DataFrame | None = None,
    decisions: pd.DataFrame | None = None,
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
        Every context of the pairs 1 … n_pairs needs a rating, and keeps one unless
        `filtering.constant_from` leaves out all of its annotators.
    n_contexts : 1 or 2
        Contexts of each pair; with 1 there are no changes.
    centre : "mean", "median" or "majority"
        Which figure of a context's ratings is its score; see `core.score`.
    checks : DataFrame, optional
        Answers to checkpoint items, as `count_failed` takes them.
    decisions : DataFrame, optional
        As `ratings`: another person's answer to a context, which is its score if the ratings have
        no majority.
    progress : callable, optional
        Called with the stage, the amount done and the total amount.

    Returns
    -------
    Outcome
        The same for the same input, whatever the order of its rows and the machine.

    Raises
    ------
    RatingsError
        As `check_ratings`; or contexts without ratings, from the start or after a step; or no pair
        with ratings of both contexts.
    """
    report = progress or _ignore_progress
    report("checking", 0, 1)
    scale = recipe.scale.as_scale()
    checked = with_groups(check_ratings(ratings, scale, n_pairs=n_pairs, n_contexts=n_contexts))
    item, (member, members) = number_items(checked, n_contexts), number_members(checked)
    n_items = n_contexts * n_pairs
    if decisions is not None:
        decisions = check_ratings(decisions, scale, n_pairs=n_pairs, n_contexts=n_contexts)
    decided = number_items(decisions, n_contexts) if decisions is not None else NO_ITEMS
    with _explaining("", UNRATED):
        refuse_unrated(_count_items(item, decided, n_items), n_contexts)
    settings = recipe.exclusion.model_dump()
    excluded = find_excluded(checked, checks=checks, n_contexts=n_contexts, **settings)
    counts = (excluded == COUNTED).to_numpy()
    rows = slice(None) if counts.all() else counts
    with _explaining("leaving out what does not count"):
        refuse_unrated(_count_items(item[rows], decided, n_items), n_contexts)
    group = pd.factorize(members["group"])[0]
    counted = count_ratings(item[rows], member[rows], checked["rating"][rows], group)
    report("calibrating", 0, 1)
    calibrated, of_calibration = apply_calibration(counted, recipe)
    report("filtering", 0, 1)
    judged = apply_filtering(calibrated, recipe)
    with _explaining("filtering"):
        scores = core.score(
            calibrated.item,
            calibrated.cell,
            score_points(calibrated, judged, recipe),
            n_pairs,
            n_contexts=n_contexts,
            centre=centre,
            progress=lambda done, of: report("scoring", done, of),
        )
        n_decided = 0 if decisions is None else _settle(scores, decisions, recipe)
        _refuse_unscored(scores, calibrated, judged, recipe)
    annotators, reason = _account(excluded, member, members, of_calibration.join(judged))
    ledger = checked.assign(calibrated=_points_of_rows(calibrated, counts), reason=reason)
    outcome = Outcome(recipe, ledger, annotators, scores, "group" in ratings, n_decided)
    return _add_notes(outcome) if recipe.filtering.constant_from else outcome


def apply_calibration(counted: Ratings, recipe: Recipe) -> tuple[Ratings, pd.DataFrame]:
    """Calibrate; if the recipe disables calibration, compute its figures only."""
    section = recipe.calibration
    threshold = section.threshold if section.enabled else np.inf
    scale = recipe.scale.as_scale()
    return core.calibrate(counted, scale, threshold=threshold, step=section.step)


def apply_filtering(calibrated: Ratings, recipe: Recipe) -> pd.DataFrame:
    """Judge the annotators; if the recipe disables filtering, compute its figures only."""
    section = recipe.filtering
    judged = core.judge(calibrated, **section.model_dump(exclude={"enabled"}))
    return judged if section.enabled else judged.assign(decision=KEPT, reason="")


def _count_items(item: Integers, decided: Integers, n_items: int) -> Integers:
    """Return the number of ratings of each context, and of decisions on it."""
    counts = np.bincount(item, minlength=n_items)
    counts[decided] += 1
    return counts


def _settle(pairs: pd.DataFrame, decisions: pd.DataFrame, recipe: Recipe) -> int:
    """Score pairs without a majority by the decisions on them; return how many these are."""
    answers = decisions.set_index("pair")["rating"]
    answers = answers[pairs.loc[answers.index, "sim1"].isna()]
    scales = recipe.scale.as_scale(), recipe.rescaling.as_scale()
    pairs.loc[answers.index, "sim1"] = core.rescale(answers.to_numpy(dtype=float), *scales)
    return len(answers)


def _refuse_unscored(
    pairs: pd.DataFrame, calibrated: Ratings, judged: pd.DataFrame, recipe: Recipe
) -> None:
    """Raise RatingsError for contexts without ratings, unless constant ratings are the reason."""
    is_scored = count_used(pairs).ravel() > 0
    if "share1" in pairs:  # some may be decided without ratings
        is_scored |= pairs["sim1"].notna().to_numpy()
    n_contexts = len(is_scored) // len(pairs)
    if recipe.filtering.constant_from and is_scored.reshape(-1, n_contexts).all(axis=1).any():
        is_constant = (judged["reason"] == CONSTANT).to_numpy()[calibrated.member]
        is_scored[calibrated.item[is_constant]] = True
    refuse_unrated(is_scored, n_contexts)


def count_used(pairs: pd.DataFrame) -> Integers:
    """Return the number of used ratings of each context, shape (n_pairs, n_contexts)."""
    return pairs[[name for name in ("n1", "n2") if name in pairs]].to_numpy()


def _add_notes(outcome: Outcome) -> Outcome:
    """Say in a column of the pairs which have no score, and which nobody could be compared on."""
    is_open = outcome.n_used == 0
    reasons = (f"no score{place}: {CONSTANT}" for place in PLACES[outcome.n_contexts])
    missing = take_texts(["", *reasons], is_open @ [1, 2][: outcome.n_contexts])
    is_alone = outcome.pairs.index.isin(outcome.uncompared["pair"])
    alone = take_texts(["", UNCOMPARED], is_alone.astype(np.int64))
    note = missing.str.cat(alone, sep="; ").str.strip("; ")
    if not note.any():
        return outcome
    return replace(outcome, pairs=outcome.pairs.assign(note=note.to_numpy()))


def score_points(calibrated: Ratings, judged: pd.DataFrame, recipe: Recipe) -> Floats:
    """Return `calibrated.points` on the scale of the scores, NaN for members who are left out."""
    is_kept = (judged["decision"] == KEPT).to_numpy()[:, None]
    scales = recipe.scale.as_scale(), recipe.rescaling.as_scale()
    return np.where(is_kept, core.rescale(calibrated.points, *scales), np.nan)


def _points_of_rows(calibrated: Ratings, counts: Bools) -> Floats:
    """Return the calibrated rating of each row, NaN for rows that do not count."""
    table, cell = calibrated.points.ravel(), calibrated.cell
    counted = fill_parts(np.empty(len(cell)), lambda part: table[cell[part]])
    if counts.all():
        return counted
    points = np.full(len(counts), np.nan)
    points[counts] = counted
    return points


def _account(
    excluded: pd.Series, member: Codes, members: pd.DataFrame, figures: pd.DataFrame
) -> tuple[pd.DataFrame, pd.Series]:
    """Return a row for each member with all figures, and the reason for each excluded rating.

    `figures` are those of calibration and filtering, a row for each member.
    """
    codes = get_codes(excluded)
    was_judged = figures["mean"].notna().to_numpy()
    is_left_out = was_judged & (figures["decision"] == LEFT_OUT).to_numpy()
    of_member, reasons = pd.factorize(figures["reason"].where(is_left_out, COUNTED))
    names = [*excluded.cat.categories, *sorted(set(reasons) - {COUNTED})]
    left_out = np.array([names.index(reason) for reason in reasons], dtype=codes.dtype)[of_member]
    n_counted = figures["n_ratings"]
    n_ratings = n_counted + np.bincount(member[codes > 0], minlength=len(figures))
    codes = np.where(codes > 0, codes, left_out[member])
    given = figures[[*OF_CALIBRATION, "rho", "bound", "gain"]]
    reason = figures["reason"]
    if not was_judged.all():
        given = given[was_judged]
        reason = reason.where(was_judged, take_texts(names, _first(codes, member, len(figures))))
    counts = members.assign(n_ratings=n_ratings, n_used=n_counted.where(~is_left_out, 0))
    decision = take_texts([LEFT_OUT, KEPT], (was_judged & ~is_left_out).astype(np.int64))
    annotators = counts.join(given).assign(decision=decision, reason=reason)
    return annotators, pd.Series(make_categories(codes, names), index=excluded.index)


def _first(codes: Integers, member: Codes, n_members: int) -> Codes:
    """Return the code of each member's first rating."""
    first = np.empty(n_members, dtype=np.int64)
    first[member[::-1]] = codes[::-1]  # the last of several writes stays
    return first


@contextmanager
def _explaining(step: str, advice: str = MILDER) -> Iterator[None]:
    """Name the step after which a context has no ratings in the error, and what to do."""
    try:
        yield
    except RatingsError as error:
        after = f"after {step}, " if step else ""
        raise RatingsError(f"{after}{error}; {advice}") from error


def _ignore_progress(stage: str, done: int, of: int) -> None:
    """Progress callback that does nothing."""
