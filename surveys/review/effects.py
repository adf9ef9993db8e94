"""What is to be judged → what would change in the results without it."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from surveys.models import Assignment, Response, Review, Study
from surveys.results.ratings_table import scale_of

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.steps.post_process import Outcome
    from postprocess.steps.recipe import Recipe

CLOSE = 0.005  # scores nearer than this are written the same
FIELDS = {
    "response": "pk",
    "assignment": "assignment",
    "pair": "pair__position",
    "context": "context__number",
    "annotator": "annotator",
    "rating": "rating",
    "group": "assignment__questionnaire__letter",
    "block": "assignment__questionnaire__block",
}


def preview_effects(reviews: Sequence[Review]) -> dict[int, str]:
    """What would change in the results without each of these, in words, by the id of the review.

    Post-processing is done with and without it, by the recipe of the published files, within the
    block: beyond it nothing depends on its ratings. All are of one study.
    """
    if not reviews:
        return {}
    from postprocess.steps.recipe import Recipe

    study = reviews[0].study
    tables = _table_blocks(study, {_block_of(review) for review in reviews})
    cases = [_Case(review, tables[_block_of(review)]) for review in reviews]
    wanted = {name: table for case in cases for name, table in case.variants.items()}
    found = _post_process(list(wanted.values()), Recipe().on_scale(scale_of(study)))
    results = dict(zip(wanted, found, strict=True))
    return {case.review.pk: _tell(case, results) for case in cases}


class _Results(NamedTuple):
    """Scores by the number of the pair in its block, and who is left out by filtering."""

    scores: "pd.DataFrame"
    left_out: set[str]


class _Case:
    """Something to be judged, among the ratings of its block."""

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
    """The ratings of each block that make the dataset, and which a verdict has put out of it."""
    import pandas as pd

    counted = Assignment.objects.for_study(study).counted()
    rated = (
        Response.objects.rated()
        .on_stimuli()
        .filter(assignment__in=counted.filter(questionnaire__block__in=blocks))
    )
    unwanted = Review.objects.unwanted(study).filter(assignment__questionnaire__block__in=blocks)
    out = list(unwanted.values_list("assignment", "response"))
    table = pd.DataFrame(rated.values_list(*FIELDS.values()), columns=list(FIELDS)).astype(
        {"annotator": str, "rating": float}
    )
    table["is_out"] = table["response"].isin([one for _, one in out if one is not None]) | table[
        "assignment"
    ].isin([assignment for assignment, one in out if one is None])
    return {block: _complete(table[table["block"] == block]) for block in blocks}


def _complete(block: "pd.DataFrame") -> "pd.DataFrame":
    """The pairs of a block both contexts of which are rated, numbered from 1."""
    import pandas as pd

    n_contexts = block.groupby("pair")["context"].transform("nunique")
    whole = block[n_contexts == 2].sort_values(["pair", "context", "annotator"], ignore_index=True)
    return whole.assign(pair=pd.factorize(whole["pair"])[0] + 1)


def _post_process(variants: "Sequence[pd.DataFrame]", recipe: "Recipe") -> list[_Results | None]:
    """What comes of each table for itself; None if a text would have no rating.

    One run does for all of them, as blocks that share neither a pair nor a group.
    """
    import pandas as pd

    from postprocess.steps.post_process import post_process
    from postprocess.table.ratings import RatingsError

    if not variants:
        return []
    ends = list(accumulate((int(one["pair"].max()) for one in variants), initial=0))
    apart = [
        one.assign(pair=one["pair"] + ends[number], group=f"{number} " + one["group"])
        for number, one in enumerate(variants)
    ]
    try:
        outcome = post_process(_mark(pd.concat(apart)), recipe, n_pairs=ends[-1])
    except RatingsError:
        alone = (
            [_post_process([one], recipe) for one in variants] if len(variants) > 1 else [[None]]
        )
        return [result for (result,) in alone]
    left_out = _list_left_out(outcome, len(variants))
    tables = [outcome.scores[start:end] for start, end in pairwise(ends)]
    return [
        _Results(scores.set_axis(range(1, len(scores) + 1)), whom)
        for scores, whom in zip(tables, left_out, strict=True)
    ]


def _mark(ratings: "pd.DataFrame") -> "pd.DataFrame":
    """As post-processing takes them."""
    from postprocess.table.ratings import REJECTED

    columns = ["pair", "context", "annotator", "rating", "group"]
    marks = ratings["is_out"].map({True: REJECTED, False: ""})
    return ratings[columns].reset_index(drop=True).assign(mark=marks.array)


def _list_left_out(outcome: "Outcome", n_variants: int) -> list[set[str]]:
    """Whom filtering leaves out in each of the tables that were processed together."""
    from postprocess.steps.filtering import LEFT_OUT

    found: list[set[str]] = [set() for _ in range(n_variants)]
    left_out = outcome.annotators[outcome.annotators["decision"] == LEFT_OUT]
    for group, annotator in zip(left_out["group"], left_out["annotator"], strict=True):
        found[int(group.split()[0])].add(annotator)
    return found


def _tell(case: _Case, results: "dict[tuple[str, int], _Results | None]") -> str:
    if case.its.empty:
        return "Nothing: no rating of it counts, or the other context of its pair has none yet."
    before, after = results[case.before], results[case.after]
    if before is None:
        return "There are too few ratings yet for scores."
    if after is None:
        return "Without it a text would have no rating left."
    of_scores = _tell_scores if case.review.is_whole else _tell_score
    told = of_scores(case.its, before.scores, after.scores)
    return f"{told}{_tell_annotators(case.its, before.left_out, after.left_out)}"


def _tell_score(its: "pd.DataFrame", before: "pd.DataFrame", after: "pd.DataFrame") -> str:
    """Of a single rating: the score of its text, and the change of its pair."""
    pair, number = its[["pair", "context"]].iloc[0]
    now, then = before.loc[pair], after.loc[pair]
    if now[f"n{number}"] == then[f"n{number}"] and _moves(now, then, number) < CLOSE:
        return "No score would change."
    from postprocess.reporting.phrases import write_figure, write_signed

    score, score_without = (write_figure(one[f"sim{number}"]) for one in (now, then))
    change, change_without = (write_signed(write_figure(one["change"])) for one in (now, then))
    return (
        f"Score of this text {score} from {now[f'n{number}']:.0f} ratings; "
        f"without it {score_without} from {then[f'n{number}']:.0f}. "
        f"Change of the pair {change}; without it {change_without}."
    )


def _moves(now: Any, then: Any, number: int) -> float:
    return abs(float(now[f"sim{number}"] - then[f"sim{number}"]))


def _tell_scores(_: "pd.DataFrame", before: "pd.DataFrame", after: "pd.DataFrame") -> str:
    """Of a whole questionnaire: how many scores move, and how far at most."""
    from postprocess.reporting.phrases import write_figure

    columns = ["sim1", "sim2"]
    moves = (after[columns] - before[columns]).abs().to_numpy()
    n_moved = int((moves >= CLOSE).sum())
    if not n_moved:
        return "No score would change."
    scores = "score" if n_moved == 1 else "scores"
    return f"{n_moved} {scores} would change, by up to {write_figure(moves.max())} points."


def _tell_annotators(its: "pd.DataFrame", out_now: set[str], out_then: set[str]) -> str:
    """Whether filtering leaves this annotator out anyway, and whom it would judge otherwise."""
    (who,) = set(its["annotator"])
    anyway = " Filtering leaves this annotator out as it is." if who in out_now else ""
    others = (out_now ^ out_then) - {who}
    if not others:
        return anyway
    noun = "annotator" if len(others) == 1 else "annotators"
    return f"{anyway} Filtering would judge {len(others)} other {noun} otherwise."
