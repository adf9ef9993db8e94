"""Effect on the results of not using an answer or a questionnaire."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from django.contrib.auth.models import User

from surveys.access.audit_log import record
from surveys.models import Assignment, AuditEntry, Response, Review, Study
from surveys.operations.job_process import in_job_process
from surveys.review.verdicts import name_subject
from surveys.study.design import design_of

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.designs.design import Design
    from postprocess.steps.post_process import Outcome

SHOWN = "review.effect_shown"  # in the log
MIN_MOVE = 0.005  # smaller differences of scores are not visible
FIELDS = {
    "response": "pk",
    "assignment": "assignment",
    "pair": "pair__position",
    "context": "context__number",
    "annotator": "annotator",
    "rating": "valid_rating",
    "group": "assignment__questionnaire__letter",
    "block": "assignment__questionnaire__block",
}


@in_job_process
def preview_effects(reviews: Sequence[Review]) -> dict[int, str]:
    """Describe how the results would change without each answer or questionnaire, by review id.

    All reviews are of one study. Post-processing runs with and without it, by the recipe of the
    study's design, within its block: results of other blocks do not depend on its ratings.
    """
    if not reviews:
        return {}
    study = reviews[0].study
    tables = _table_blocks(study, {_block_of(review) for review in reviews})
    cases = [_Case(review, tables[_block_of(review)]) for review in reviews]
    variants = {name: table for case in cases for name, table in case.variants.items()}
    outcomes = _post_process(list(variants.values()), design_of(study))
    results = dict(zip(variants, outcomes, strict=True))
    return {case.review.pk: _describe(case, results) for case in cases}


def show_effect(review: Review) -> None:
    """Record that the effect of a review is shown to the current actor."""
    record(SHOWN, review.study, name_subject(review))


def is_effect_shown(review: Review, reviewer: User) -> bool:
    """Return whether the effect of a review was shown to a reviewer."""
    entries = AuditEntry.objects.filter(study=review.study, user=reviewer, action=SHOWN)
    return entries.filter(subject=name_subject(review)).exists()


class _Results(NamedTuple):
    """Scores by the number of the pair in its block, and the annotators excluded by filtering."""

    scores: "pd.DataFrame"
    left_out: set[str]


class _Case:
    """An answer or a questionnaire under review, among the ratings of its block."""

    def __init__(self, review: Review, block: "pd.DataFrame") -> None:
        self.review = review
        column, number = (
            ("assignment", review.assignment_id)
            if review.is_whole
            else ("response", review.response_id)
        )
        is_its = block[column] == number
        self.its = block[is_its]
        is_used = not (is_its & block["is_out"]).any()
        self.before = ("stored", _block_of(review)) if is_used else ("with", review.pk)
        self.after = "without", review.pk
        self.variants: dict[tuple[str, int], pd.DataFrame] = {}
        if len(self.its):
            with_it, without = block["is_out"] & ~is_its, block["is_out"] | is_its
            self.variants = {
                self.before: block.assign(is_out=with_it),
                self.after: block.assign(is_out=without),
            }


def _block_of(review: Review) -> int:
    return review.assignment.questionnaire.block_id


def _table_blocks(study: Study, blocks: set[int]) -> "dict[int, pd.DataFrame]":
    """Return the ratings of each block in the dataset, marking those excluded by a verdict."""
    import pandas as pd

    counted = Assignment.objects.for_study(study).counted()
    done = counted.filter(questionnaire__block__in=blocks)
    rated = Response.objects.rated().on_stimuli().filter(assignment__in=done)
    unwanted = Review.objects.unwanted(study).filter(assignment__questionnaire__block__in=blocks)
    excluded = list(unwanted.values_list("assignment", "response"))
    table = pd.DataFrame(rated.values_list(*FIELDS.values()), columns=list(FIELDS)).astype(
        {"annotator": str, "rating": float}
    )
    responses = [response for _, response in excluded if response is not None]
    wholes = [assignment for assignment, response in excluded if response is None]
    table["is_out"] = table["response"].isin(responses) | table["assignment"].isin(wholes)
    n_contexts = study.kind.n_contexts
    return {block: _complete(table[table["block"] == block], n_contexts) for block in blocks}


def _complete(block: "pd.DataFrame", n_contexts: int) -> "pd.DataFrame":
    """Return the pairs of a block with ratings of all contexts, numbered from 1."""
    import pandas as pd

    n_rated = block.groupby("pair")["context"].transform("nunique")
    is_complete = n_rated == n_contexts
    rated = block[is_complete].sort_values(["pair", "context", "annotator"], ignore_index=True)
    return rated.assign(pair=pd.factorize(rated["pair"])[0] + 1)


def _post_process(variants: "Sequence[pd.DataFrame]", design: "Design") -> list[_Results | None]:
    """Post-process each table separately; None if a text would have no rating.

    One run handles all tables, as blocks that share neither a pair nor a group.
    """
    import pandas as pd

    from postprocess.steps.post_process import post_process
    from postprocess.table.ratings import RatingsError

    if not variants:
        return []
    ends = list(accumulate((int(variant["pair"].max()) for variant in variants), initial=0))
    apart = [
        variant.assign(pair=variant["pair"] + ends[number], group=f"{number} " + variant["group"])
        for number, variant in enumerate(variants)
    ]
    try:
        outcome = post_process(
            _mark(pd.concat(apart)), design.as_recipe(), n_pairs=ends[-1],
            n_contexts=design.n_contexts, centre=design.scores.centre,
        )  # fmt: skip
    except RatingsError:
        if len(variants) == 1:
            return [None]
        return [result for variant in variants for result in _post_process([variant], design)]
    left_out = _list_left_out(outcome, len(variants))
    tables = [outcome.pairs[start:end] for start, end in pairwise(ends)]
    return [
        _Results(scores.set_axis(range(1, len(scores) + 1)), excluded)
        for scores, excluded in zip(tables, left_out, strict=True)
    ]


def _mark(ratings: "pd.DataFrame") -> "pd.DataFrame":
    """Convert ratings to the input of post-processing."""
    from postprocess.table.ratings import REJECTED

    columns = ["pair", "context", "annotator", "rating", "group"]
    marks = ratings["is_out"].map({True: REJECTED, False: ""})
    return ratings[columns].reset_index(drop=True).assign(mark=marks.array)


def _list_left_out(outcome: "Outcome", n_variants: int) -> list[set[str]]:
    """Return the annotators that filtering excludes from each of the tables."""
    from postprocess.steps.core import LEFT_OUT

    annotators: list[set[str]] = [set() for _ in range(n_variants)]
    left_out = outcome.annotators[outcome.annotators["decision"] == LEFT_OUT]
    for group, annotator in zip(left_out["group"], left_out["annotator"], strict=True):
        annotators[int(group.split()[0])].add(annotator)
    return annotators


def _describe(case: _Case, results: "dict[tuple[str, int], _Results | None]") -> str:
    if case.its.empty:
        return "Nothing: it or the other context of its pair has no rating in the dataset yet."
    before, after = results[case.before], results[case.after]
    if before is None:
        return "There are too few ratings yet for scores."
    if after is None:
        return "Without it a text would have no rating left."
    describe = _describe_scores if case.review.is_whole else _describe_score
    scores = describe(case.its, before.scores, after.scores)
    return f"{scores}{_describe_annotators(case.its, before.left_out, after.left_out)}"


def _describe_score(its: "pd.DataFrame", before: "pd.DataFrame", after: "pd.DataFrame") -> str:
    """Describe one rating's effect on its item's score and its pair's change."""
    pair, number = its[["pair", "context"]].iloc[0]
    now, then = before.loc[pair], after.loc[pair]
    move = abs(float(now[f"sim{number}"] - then[f"sim{number}"]))
    if now[f"n{number}"] == then[f"n{number}"] and not move >= MIN_MOVE:  # NaN without a score
        return "No score would change."
    from postprocess.reporting.phrases import write_figure, write_signed

    score, score_without = (write_figure(row[f"sim{number}"]) for row in (now, then))
    moves = (
        f"Score of this text {score} from {now[f'n{number}']:.0f} ratings; "
        f"without it {score_without} from {then[f'n{number}']:.0f}."
    )
    if "change" not in now:
        return moves
    change, change_without = (write_signed(write_figure(row["change"])) for row in (now, then))
    return f"{moves} Change of the pair {change}; without it {change_without}."


def _describe_scores(_: "pd.DataFrame", before: "pd.DataFrame", after: "pd.DataFrame") -> str:
    """Describe how many scores a whole questionnaire affects, and the largest difference."""
    from postprocess.reporting.phrases import write_figure

    columns = [name for name in ("sim1", "sim2") if name in before]
    moves = (after[columns] - before[columns]).abs().fillna(0).to_numpy()
    n_moved = int((moves >= MIN_MOVE).sum())
    if not n_moved:
        return "No score would change."
    scores = "score" if n_moved == 1 else "scores"
    return f"{n_moved} {scores} would change, by up to {write_figure(moves.max())} points."


def _describe_annotators(its: "pd.DataFrame", out_now: set[str], out_then: set[str]) -> str:
    """Describe whether filtering excludes this annotator anyway, and other annotators affected."""
    (annotator,) = set(its["annotator"])
    anyway = " Filtering excludes this annotator anyway." if annotator in out_now else ""
    others = (out_now ^ out_then) - {annotator}
    if not others:
        return anyway
    noun = "annotator" if len(others) == 1 else "annotators"
    return f"{anyway} Filtering would change its decision about {len(others)} other {noun}."
