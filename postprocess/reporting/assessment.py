"""Agreement, reliability, confounds and contexts with two camps, for the report of a dataset."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from postprocess.statistics.agreement.by_group import OVERALL, agreement_table
from postprocess.statistics.agreement.copies import find_copies
from postprocess.statistics.agreement.kappa import cohen_kappa
from postprocess.statistics.agreement.reliability import (
    change_reliability,
    change_reliability_from_scores,
)
from postprocess.statistics.agreement.without_parts import Process
from postprocess.statistics.change import paired_pvalues
from postprocess.statistics.change_size import change_size
from postprocess.statistics.confounds import find_confounds, measure_contexts
from postprocess.statistics.polarisation import find_polarised
from postprocess.statistics.resampling import Resample, includes_annotators
from postprocess.steps.post_process import Outcome
from postprocess.steps.recipe import ReportSection
from postprocess.steps.single_steps import aggregate_ratings, calibrate_and_filter, rescale_ratings
from postprocess.table.details import BEFORE, DECISION, MEASURES, ORDER, TRAITS, join_details
from postprocess.table.ratings import UNJUDGED, Scale

Report = dict[str, Any]

# Limits that keep a large dataset to about a minute: its intervals are narrow anyway.
MAX_RESAMPLED = 5_000_000  # ratings drawn in all resamples together
MIN_RESAMPLES = 100  # with fewer there are no intervals
MAX_SPLIT = 20_000_000  # ratings in all splits together
MIN_SPLITS = 20
ALPHA = 0.05  # of the test for two camps in a context
RATING_CONFOUNDS = {"position": "position", "seconds": "seconds", "annotator_seconds": "seconds"}


class Chance(NamedTuple):
    """The numbers of resamples and splits, the seed, and what is resampled."""

    n_resamples: int
    n_splits: int
    seed: int
    resample: Resample

    def rng(self) -> np.random.Generator:
        """Return a new generator, so that no figure depends on which others are computed."""
        return np.random.default_rng(self.seed)


def allot_chance(wanted: ReportSection, n_ratings: int) -> Chance:
    """Return the requested numbers of resamples and splits, reduced for large numbers of ratings.

    >>> [allot_chance(ReportSection(), n)[:3] for n in (6_800, 1_000_000)]
    [(300, 200, 0), (0, 20, 0)]
    """
    n_resamples = min(wanted.n_resamples, MAX_RESAMPLED // n_ratings)
    if n_resamples < min(wanted.n_resamples, MIN_RESAMPLES):
        n_resamples = 0
    n_splits = min(wanted.n_splits, max(MIN_SPLITS, MAX_SPLIT // n_ratings))
    return Chance(n_resamples, n_splits, wanted.seed, wanted.resample)


def assess(
    outcome: Outcome,
    rows: Sequence[Sequence[str]],
    used: pd.DataFrame,
    details: pd.DataFrame | None = None,
) -> Report:
    """Return the parts of the report on agreement, reliability, confounds, two camps and copies.

    `used` is `outcome.used` with the columns of `join_details`, which adds `details`: agreement is
    reported by block and part of speech, and ratings are related to position and seconds, if these
    are known. The order of its rows does not matter. Change and confounds are of pairs with two
    contexts alone.
    """
    chance = allot_chance(outcome.recipe.report, len(outcome.ledger))
    given = as_given(outcome)
    agreement = report_agreement(used, given, chance, _repeating(outcome, chance, details))
    if outcome.n_contexts == 1:
        words = [row[1:3] for row in rows]  # after the id
        divided = report_divided(outcome, words, chance)
        if "share1" in outcome.pairs:  # answers are categories
            agreement |= report_doubled(used)
        looks = report_second_look(outcome, details, chance)
        return {"agreement": agreement, **looks, "divided": divided, **report_copies(outcome)}
    return {
        "agreement": agreement,
        "change": report_change(outcome, given, chance),
        "confounds": report_confounds(outcome, rows, used, chance),
        "divided": report_divided(outcome, rows, chance),
        **report_copies(outcome),
    }


def as_given(outcome: Outcome) -> pd.DataFrame | None:
    """Return the ratings before calibration and filtering; None if these changed nothing."""
    counted = _counted(outcome)
    if len(counted) == len(outcome.used) and (counted["calibrated"] == counted["rating"]).all():
        return None
    return counted.drop(columns=["calibrated", "reason"])


class Repeating(NamedTuple):
    """The ratings before calibration and filtering, and these steps, to be repeated."""

    ratings: pd.DataFrame
    process: Process


def report_agreement(
    used: pd.DataFrame,
    given: pd.DataFrame | None,
    chance: Chance,
    repeating: Repeating | None = None,
) -> Report:
    """Return the figures of `agreement_table` for ratings after and before all steps.

    With `repeating`, the intervals after the steps are those of `agreement_table` with the steps in
    them; without it, those given the annotators who were kept.

    overall; by: a list of slices for each of group, block and pos that is known; as_given: overall
    before calibration and filtering, None if they changed nothing; not_known: the missing columns
    among block and pos.
    """
    traits = [trait for trait in TRAITS if trait in used]
    compared, process = repeating or (used, None)
    after = _agree(compared, ["group", *traits], chance, process)
    return {
        **chance._asdict(),
        "overall": after[OVERALL][0],
        "as_given": None if given is None else _agree(given, [], chance)[OVERALL][0],
        "by": {by: after[by] for by in ("group", *traits)},
        "not_known": [trait for trait in TRAITS if trait not in traits],
    }


def report_doubled(used: pd.DataFrame) -> Report:
    """Return Cohen's kappa of the first and the second answer to doubled items, and their number.

    Nothing if the order of answers is not known; see `join_details`.
    """
    if ORDER not in used:
        return {}
    place = pd.to_numeric(used[ORDER], errors="coerce")
    answers = used.assign(place=place)[place.notna()].sort_values(["pair", "place"])
    by_pair = [list(ratings[:2]) for _, ratings in answers.groupby("pair")["rating"]]
    both = [pair for pair in by_pair if len(pair) == 2]
    first, second = zip(*both, strict=True) if both else ((), ())
    return {"doubled": {"n": len(both), "kappa": cohen_kappa(first, second)}}


def report_change(outcome: Outcome, given: pd.DataFrame | None, chance: Chance) -> Report:
    """Return the size and reliability of the changes, the ceiling of subtask 1, and paired tests.

    size and size_as_given: the figures of `change_size`; used and as_given: the rows of
    `change_reliability`; those as given are None if the steps changed nothing; by_formula: the
    reliability by `change_reliability_from_scores`; n_both: the number of annotators who rated
    both contexts of a pair; paired: the rows of `paired_pvalues` for their pairs.
    """
    both = outcome.used[outcome.used.duplicated(["pair", "annotator"])]  # each context once
    return {
        **chance._asdict(),
        "size": change_size(outcome.scores)._asdict(),
        "size_as_given": None if given is None else _measure_size(given, outcome),
        "used": _rely(outcome.used, chance),
        "as_given": None if given is None else _rely(given, chance),
        "by_formula": change_reliability_from_scores(outcome.scores),
        "n_both": both["annotator"].nunique(),
        "paired": _test_paired(outcome.used, both["pair"]),
    }


def report_confounds(
    outcome: Outcome, rows: Iterable[Sequence[str]], used: pd.DataFrame, chance: Chance
) -> Report:
    """Return the relations of scores, changes and ratings to variables that should not matter.

    table: the rows of `find_confounds`; not_known: the confounds of ratings whose column is
    missing, with its name.
    """
    measures = [name for name in MEASURES if name in used]
    table = find_confounds(
        outcome.scores,
        measure_contexts(rows),
        rng=chance.rng(),
        ratings=used if measures else None,
        n_resamples=chance.n_resamples,
    )
    return {
        "n_resamples": chance.n_resamples,
        "seed": chance.seed,
        "table": _records(table),
        "not_known": [
            {"confound": confound, "column": column}
            for confound, column in RATING_CONFOUNDS.items()
            if column not in measures
        ],
    }


def report_second_look(outcome: Outcome, details: pd.DataFrame | None, chance: Chance) -> Report:
    """Return what annotators did in a second look, if there was one.

    n_shown, n_changed, n_unanswered: ratings; before and after: the overall figures of
    `agreement_table` for the ratings that count, as given. Before it, those count as well that the
    annotators then could not judge.
    """
    rows = outcome.ledger
    joined = join_details(rows.drop(columns=["calibrated", "reason"]), details)
    if details is None or DECISION not in joined:
        return {}
    decisions = details[DECISION].value_counts()
    is_counted = rows["calibrated"].notna().to_numpy()
    is_dropped = (rows["mark"] == UNJUDGED).to_numpy() & joined[BEFORE].notna().to_numpy()
    counted, before = joined[is_counted], joined[is_counted | is_dropped]
    before = before.assign(rating=before[BEFORE].fillna(before["rating"]))
    return {
        "second_look": {
            "n_shown": int(decisions.sum()),
            "n_changed": int(decisions.get("changed", 0)),
            "n_unanswered": int(decisions.get("no answer", 0)),
            "before": _agree(before, [], chance)[OVERALL][0],
            "after": _agree(counted, [], chance)[OVERALL][0],
        }
    }


def report_divided(outcome: Outcome, rows: Sequence[Sequence[str]], chance: Chance) -> Report:
    """Return the contexts with two camps, by the ratings as given.

    n_contexts: those tested; obstacle: why none was tested, or ""; contexts: the rows of
    `find_polarised` with the pair's words.
    """
    used = outcome.ledger[outcome.ledger["reason"] == ""]
    n_contexts = int((outcome.n_used > 0).sum())
    divided = {"alpha": ALPHA, "n_contexts": n_contexts, "obstacle": "", "contexts": []}
    try:
        listed = find_polarised(
            used, outcome.recipe.scale.as_scale(), rng=chance.rng(), alpha=ALPHA
        )
    except ValueError as error:
        return {**divided, "n_contexts": 0, "obstacle": str(error)}
    words = [f"{rows[pair - 1][0]}, {rows[pair - 1][1]}" for pair in listed["pair"]]
    return {**divided, "contexts": _records(listed.assign(words=words))}


def report_copies(outcome: Outcome) -> Report:
    """Return the pairs of `find_copies`, by the ratings as given; nothing if there are none."""
    copies = _records(find_copies(_counted(outcome)))
    return {"copies": copies} if copies else {}


def _counted(outcome: Outcome) -> pd.DataFrame:
    """Return the rows of the ledger that were not left out before calibration."""
    return outcome.ledger[outcome.ledger["calibrated"].notna()]


def _repeating(outcome: Outcome, chance: Chance, details: pd.DataFrame | None) -> Repeating | None:
    """Return what intervals over annotators repeat; None if there are none, or no steps."""
    recipe = outcome.recipe
    has_steps = recipe.calibration.enabled or recipe.filtering.enabled
    if not (has_steps and chance.n_resamples and includes_annotators(chance.resample)):
        return None
    ratings = _counted(outcome).drop(columns=["calibrated", "reason"])
    return Repeating(join_details(ratings, details), partial(calibrate_and_filter, recipe=recipe))


def _agree(
    ratings: pd.DataFrame, by: Sequence[str], chance: Chance, process: Process | None = None
) -> dict[str, list[Report]]:
    """Return the slices of each column, without intervals if there are no resamples."""
    table = agreement_table(ratings, by=by, process=process, **chance._asdict())
    if not chance.n_resamples:
        table = table.drop(columns=[c for c in table if str(c).endswith(("_low", "_high"))])
    return {
        str(column): _records(part.drop(columns="by"))
        for column, part in table.groupby("by", sort=False)
    }


def _measure_size(given: pd.DataFrame, outcome: Outcome) -> Report:
    """Return the figures of `change_size` for ratings as given, on the published scale."""
    target = outcome.recipe.rescaling
    rescaled = rescale_ratings(
        given, outcome.recipe.scale.as_scale(), Scale(target.minimum, target.maximum)
    )
    scores = aggregate_ratings(rescaled, len(outcome.pairs)).loc[outcome.scores.index]
    return change_size(scores)._asdict()


def _rely(ratings: pd.DataFrame, chance: Chance) -> list[Report]:
    table = change_reliability(
        ratings,
        rng=chance.rng(),
        n_splits=chance.n_splits,
        n_resamples=chance.n_resamples,
        resample=chance.resample,
    )
    return _records(table.reset_index())


def _test_paired(used: pd.DataFrame, pairs: pd.Series) -> list[Report]:
    if pairs.empty:
        return []
    return _records(paired_pvalues(used[used["pair"].isin(pairs)]).reset_index())


def _records(table: pd.DataFrame) -> list[Report]:
    return [{str(name): entry for name, entry in row.items()} for row in table.to_dict("records")]
