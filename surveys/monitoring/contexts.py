"""Ratings of a context, and the words that annotators wrote."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

from django.db.models import Avg, Count, F, FloatField, Sum
from django.db.models.functions import Cast

from surveys.models import Assignment, AssignmentState, Context, Item, Response, Round, Study
from surveys.models.study import Writes
from surveys.monitoring.charts import Bar, draw_ratings

MAX_WORDS = 100  # listed for each target


@dataclass(frozen=True)
class Words:
    """The words written as first or second, the most frequent first, and the number of others."""

    target: str
    most_frequent: list[tuple[str, int]]
    n_more: int


@dataclass(frozen=True)
class ContextAnswers:
    """Answers to a context in the dataset, and the number of answers left out."""

    n: int
    n_unjudged: int
    n_not_counted: int
    mean: float | None
    spread: float | None
    bars: list[Bar]
    words: list[Words]


class Summary(NamedTuple):
    """An item of a block with statistics of its ratings."""

    item: Item
    n: int
    mean: float | None
    spread: float | None


def summarise_contexts(round_: Round) -> list[Summary]:
    """Return the contexts of a block with statistics of a round's ratings; two queries."""
    finished = Assignment.objects.submitted().filter(round=round_)
    rated = Response.objects.rated().on_stimuli().filter(assignment__in=finished)
    points = Cast("valid_rating", FloatField())
    rows: Any = rated.order_by().values_list("context_id")
    sums = rows.annotate(n=Count("pk"), mean=Avg(points), squares=Sum(points * points))
    statistics = {
        context: (n, mean, spread_of_sums(n, mean, squares)) for context, n, mean, squares in sums
    }
    items = Item.objects.filter(questionnaire__block=round_.block_id)
    in_order = items.select_related("context__pair", "questionnaire").order_by(
        "context__pair__position", "context__number"
    )
    return [Summary(item, *statistics.get(item.context_id, (0, None, None))) for item in in_order]


def summarise_answers(study: Study, context: Context) -> ContextAnswers:
    """Return the answers to a context; one query.

    Responses have no index by context; they are found by the annotators of its questionnaire.
    """
    of_context: Any = Response.objects.filter(
        assignment__questionnaire=context.item.questionnaire_id,
        annotator=F("assignment__annotator"),
        pair=context.pair_id,
        context=context,
        engaged_at__isnull=False,
    )
    rows = of_context.with_valid_rating().order_by("rated_at").values_list(
        "valid_rating", "valid_is_unjudgeable", "written1", "written2",
        "assignment__state", "assignment__round__is_current",
    )  # fmt: skip
    answers: list[Any] = list(rows)
    counted = [
        answer
        for *answer, state, is_current in answers
        if state == AssignmentState.SUBMITTED and is_current
    ]
    ratings = [rating for rating, *_ in counted if rating is not None]
    return ContextAnswers(
        n=len(ratings),
        n_unjudged=sum(unjudged for _, unjudged, *_ in counted),
        n_not_counted=len(answers) - len(counted),
        mean=fmean(ratings) if ratings else None,
        spread=spread_of(ratings),
        bars=draw_ratings(study, ratings),
        words=[
            _count_words(target, [words[which] for _, _, *words in counted])
            for which, target in enumerate((context.word1, context.word2))
        ]
        if study.writes != Writes.NOTHING
        else [],
    )


def spread_of(ratings: list[Decimal]) -> float | None:
    """Return the sample standard deviation of ratings, or None for fewer than two."""
    return float(stdev(ratings)) if len(ratings) > 1 else None


def spread_of_sums(n: int, mean: float | None, squares: float | None) -> float | None:
    """Return the sample standard deviation from a mean and a sum of squares.

    SQLite lacks the function. Ratings are short numbers near zero, so little precision is lost.

    >>> spread_of_sums(3, 2.0, 14.0), spread_of_sums(1, 2.0, 4.0)
    (1.0, None)
    """
    if n < 2 or mean is None or squares is None:
        return None
    return sqrt(max(0.0, squares - n * mean * mean) / (n - 1))


def _count_words(target: str, written: list[str]) -> Words:
    """Count words regardless of letter case."""
    counts = Counter(word.casefold() for word in written if word)
    ordered = sorted(counts.items(), key=lambda word: (-word[1], word[0]))
    return Words(target, ordered[:MAX_WORDS], max(0, len(ordered) - MAX_WORDS))
