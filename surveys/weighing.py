"""What is to be judged → what was noticed about it, and what would change in the results without
it; verdicts → how far reviewers agree.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from surveys.analysing import scale_of
from surveys.evidence import Piece, tell
from surveys.models import Assignment, Response, Review, Study, Verdict

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.recipe import Recipe
    from postprocess.steps import Outcome

CLOSE = 0.005  # scores nearer than this are written the same
FIELDS = {
    "response": "pk",
    "assignment": "assignment",
    "context_id": "context",
    "pair": "pair__position",
    "context": "context__number",
    "annotator": "annotator",
    "rating": "rating",
    "group": "assignment__questionnaire__letter",
}


class Agreement(NamedTuple):
    """How far two reviewers agree, blind to each other; kappa is NaN where it is not defined."""

    reviewers: tuple[int, int]
    n: int
    n_equal: int
    kappa: float


def tell_evidence(review: Review) -> list[str]:
    """What was noticed, a sentence each."""
    response = review.response
    words = (response.inspired_word1, response.inspired_word2) if response else ("", "")
    return [tell(Piece(*piece), words) for piece in review.evidence]


def list_agreement(study: Study) -> list[Agreement]:
    """Of every two reviewers who judged something twice, by their ids."""
    from postprocess.kappa import cohen_kappa

    kinds: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for review, reviewer, kind in Verdict.objects.double(study):
        kinds[review][reviewer] = kind
    judged: defaultdict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    for by_reviewer in kinds.values():
        one, two = sorted(by_reviewer)
        judged[one, two].append((by_reviewer[one], by_reviewer[two]))
    return [
        Agreement(
            pair, len(both), sum(a == b for a, b in both), cohen_kappa(*zip(*both, strict=True))
        )
        for pair, both in sorted(judged.items())
    ]


def preview_effects(reviews: Sequence[Review]) -> dict[int, str]:
    """What would change in the results without each of these, in words, by the id of the review.

    Post-processing is done with and without it, by the recipe of the published files, within the
    block: beyond it nothing depends on its ratings. All are of one study.
    """
    by_block = defaultdict(list)
    for review in reviews:
        by_block[review.assignment.questionnaire.block_id].append(review)
    return {
        review.pk: sentence
        for block, some in by_block.items()
        for review, sentence in _preview_block(some[0].study, block, some)
    }


def _preview_block(
    study: Study, block: int, reviews: Sequence[Review]
) -> Iterator[tuple[Review, str]]:
    from postprocess.recipe import Recipe

    ratings = _table_block(study, block)
    unwanted = list(Review.objects.unwanted(study).values_list("assignment", "response"))
    marked = [response for _, response in unwanted if response is not None]
    left = [assignment for assignment, response in unwanted if response is None]
    is_out = ratings["response"].isin(marked) | ratings["assignment"].isin(left)
    recipe = Recipe().on_scale(scale_of(study))
    stored = _post_process(ratings, is_out, recipe)
    for review in reviews:
        is_its = (
            ratings["assignment"] == review.assignment_id
            if review.is_whole
            else ratings["response"] == review.response_id
        )
        is_used = not (is_its & is_out).any()
        before = stored if is_used else _post_process(ratings, is_out & ~is_its, recipe)
        after = _post_process(ratings, is_out | is_its, recipe) if is_its.any() else before
        yield review, _tell(ratings[is_its], before, after, is_whole=review.is_whole)


def _table_block(study: Study, block: int) -> "pd.DataFrame":
    """The ratings of a block that make the dataset, verdicts apart."""
    import pandas as pd

    counted = Assignment.objects.for_study(study).counted()
    rated = (
        Response.objects.rated()
        .on_stimuli()
        .filter(assignment__in=counted.filter(questionnaire__block=block))
    )
    table = pd.DataFrame(rated.values_list(*FIELDS.values()), columns=list(FIELDS))
    table["rating"] = table["rating"].astype(float)
    n_contexts = table.groupby("pair")["context"].transform("nunique")
    table = table[n_contexts == 2].sort_values(["pair", "context", "annotator"], ignore_index=True)
    table["pair"] = pd.factorize(table["pair"])[0] + 1
    return table


def _post_process(
    ratings: "pd.DataFrame", is_out: "pd.Series", recipe: "Recipe"
) -> "Outcome | None":
    """The outcome without some ratings; None if a text would have none."""
    from postprocess.ratings import REJECTED, RatingsError
    from postprocess.steps import post_process

    columns = ["pair", "context", "annotator", "rating", "group"]
    marked = ratings[columns].assign(
        mark=is_out.map({True: REJECTED, False: ""}), annotator=ratings["annotator"].astype(str)
    )
    try:
        return post_process(marked, recipe, n_pairs=int(ratings["pair"].max()))
    except (RatingsError, ValueError):
        return None


def _tell(
    its: "pd.DataFrame", before: "Outcome | None", after: "Outcome | None", *, is_whole: bool
) -> str:
    if its.empty:
        return "Nothing: no rating of it counts, or the other context of its pair has none yet."
    if before is None:
        return "There are too few ratings yet for scores."
    if after is None:
        return "Without it a text would have no rating left."
    told = _tell_scores(before, after) if is_whole else _tell_score(its, before, after)
    return f"{told}{_tell_annotators(its, before, after)}"


def _tell_score(its: "pd.DataFrame", before: "Outcome", after: "Outcome") -> str:
    """Of a single rating: the score of its text, and the change of its pair."""
    pair, number = its[["pair", "context"]].iloc[0]
    now, then = (outcome.scores.loc[pair] for outcome in (before, after))
    if now[f"n{number}"] == then[f"n{number}"] and _moves(now, then, number) < CLOSE:
        return "No score would change."
    return (
        f"Score of this text {now[f'sim{number}']:.2f} from {now[f'n{number}']:.0f} ratings; "
        f"without it {then[f'sim{number}']:.2f} from {then[f'n{number}']:.0f}. "
        f"Change of the pair {now['change']:+.2f}; without it {then['change']:+.2f}."
    )


def _moves(now: Any, then: Any, number: int) -> float:
    return abs(float(now[f"sim{number}"] - then[f"sim{number}"]))


def _tell_scores(before: "Outcome", after: "Outcome") -> str:
    """Of a whole questionnaire: how many scores move, and how far at most."""
    columns = ["sim1", "sim2"]
    moves = (after.scores[columns] - before.scores[columns]).abs().to_numpy()
    n_moved = int((moves >= CLOSE).sum())
    if not n_moved:
        return "No score would change."
    scores = "score" if n_moved == 1 else "scores"
    return f"{n_moved} {scores} would change, by up to {moves.max():.2f} points."


def _tell_annotators(its: "pd.DataFrame", before: "Outcome", after: "Outcome") -> str:
    """Whether filtering leaves this annotator out anyway, and whom it would judge otherwise."""
    (who,) = set(its["annotator"].astype(str))
    out_now, out_then = map(_left_out, (before, after))
    anyway = " Filtering leaves this annotator out as it is." if who in out_now else ""
    others = (out_now ^ out_then) - {who}
    if not others:
        return anyway
    noun = "annotator" if len(others) == 1 else "annotators"
    return f"{anyway} Filtering would judge {len(others)} other {noun} otherwise."


def _left_out(outcome: "Outcome") -> set[str]:
    from postprocess.filtering import LEFT_OUT

    annotators = outcome.annotators
    return set(annotators.loc[annotators["decision"] == LEFT_OUT, "annotator"].astype(str))
