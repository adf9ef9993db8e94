"""Progress, times and ratings of annotators, and warnings about unusual behaviour."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from statistics import fmean, median
from typing import Any, NamedTuple

from surveys.models import Annotator, Assignment, Response, Review, Study
from surveys.models.review import IS_WHOLE
from surveys.monitoring.agreement import read_stored
from surveys.monitoring.annotator_agreement import Agreement, agreement_of
from surveys.monitoring.assignments import HASTE_FACTOR, MIN_COMMON_ITEMS, MIN_ITEMS, Flag
from surveys.monitoring.charts import Bar, draw_bars, draw_ratings
from surveys.monitoring.contexts import spread_of
from surveys.review.evidence import Piece, about_ratings, count_seconds, describe


class Answer(NamedTuple):
    """An annotator's answer to an item."""

    assignment_id: int
    position: int
    pair_position: int
    pair_word1: str
    pair_word2: str
    context_id: int
    context_number: int
    is_checkpoint: bool
    lowest: Decimal | None
    highest: Decimal | None
    word1: str
    word2: str
    has_pasted: bool
    rating: Decimal | None
    is_unjudgeable: bool
    first_rating: Decimal | None
    changed_at: datetime | None
    seconds: float | None
    rating_seconds: float | None

    @property
    def is_failed(self) -> bool:
        """Return whether the rating is outside the range of a checkpoint item."""
        if self.rating is None or self.lowest is None or self.highest is None:
            return False
        return not self.lowest <= self.rating <= self.highest


@dataclass(frozen=True)
class AnnotatorDetails:
    """Statistics of all answers of an annotator, and one assignment in detail."""

    n_rated: int
    mean: float | None
    spread: float | None
    median_seconds: float | None
    bars: list[Bar]
    agreement: Agreement
    answers: list[tuple[Answer, Bar]]
    flags: list[Flag]


def describe_annotator(
    study: Study, annotator: Annotator, assignment: Assignment
) -> AnnotatorDetails:
    """Return statistics of an annotator, and one assignment in detail; three queries."""
    answers = list(_list_answers(annotator))
    ratings = [a.rating for a in answers if a.rating is not None and not a.is_checkpoint]
    seconds = [a.seconds for a in answers if a.seconds is not None]
    shown = [answer for answer in answers if answer.assignment_id == assignment.pk]
    own_ratings = {
        a.context_id: float(a.rating) for a in shown if a.rating is not None and not a.is_checkpoint
    }
    agreement = agreement_of(assignment, own_ratings)
    times = draw_bars({str(answer.position): answer.seconds or 0.0 for answer in shown})
    return AnnotatorDetails(
        n_rated=len(ratings),
        mean=fmean(ratings) if ratings else None,
        spread=spread_of(ratings),
        median_seconds=median(seconds) if seconds else None,
        bars=draw_ratings(study, ratings),
        agreement=agreement,
        answers=list(zip(shown, times, strict=True)),
        flags=[
            *_flag_ratings(len(ratings), is_constant=len(set(ratings)) == 1),
            *_flag_haste(study, seconds),
            *_flag_answers(answers),
            *_flag_agreement(agreement, len(own_ratings), _recall_typical(study, assignment)),
            *_flag_conduct(shown, assignment),
        ],
    )


def _list_answers(annotator: Annotator) -> Iterator[Answer]:
    given: Any = Response.objects.filter(annotator=annotator, rated_at__isnull=False)
    rows = given.with_valid_rating().order_by("assignment_id", "position").values_list(
        "assignment_id", "position", "pair__position", "pair__word1", "pair__word2", "context_id",
        "context__number", "pair__is_checkpoint", "context__checkpoint__lowest",
        "context__checkpoint__highest",
        "written1", "written2", "has_pasted_word1", "has_pasted_word2", "valid_rating",
        "valid_is_unjudgeable", "first_rating", "changed_at", "words_visible_seconds",
        "rating_visible_seconds", "words_shown_at", "engaged_at", "rating_shown_at", "rated_at",
    )  # fmt: skip
    for row in rows.iterator():
        item, (pasted1, pasted2, *given_rating), times = row[:12], row[12:18], row[18:]
        seconds = _count_seconds(*times), count_seconds(times[1], *times[4:])
        yield Answer._make((*item, pasted1 or pasted2, *given_rating, *seconds))


def _count_seconds(
    words: float | None, rating: float | None, *instants: datetime | None
) -> float | None:
    """Return an item's seconds on both pages: visible if reported, else from show to answer."""
    if words is not None and rating is not None:
        return words + rating
    words_shown, engaged, rating_shown, rated = instants
    if rating_shown and rated and engaged == rated and not words_shown:  # an item of one page
        return (rated - rating_shown).total_seconds()
    if words_shown and engaged and rating_shown and rated:
        return ((engaged - words_shown) + (rated - rating_shown)).total_seconds()
    return None


def _flag_ratings(n: int, *, is_constant: bool) -> Iterator[Flag]:
    if n >= MIN_ITEMS and is_constant:
        yield Flag(f"Constant ratings: all {n} are the same.", is_grave=True)


def _flag_conduct(answers: Collection[Answer], assignment: Assignment) -> Iterator[Flag]:
    """Flag the order and the speed of an assignment's ratings, and words shared with another.

    The words are compared when answers are filed for the review.
    """
    rated = [a for a in answers if not a.is_checkpoint]
    pieces = about_ratings([(a.rating, a.rating_seconds) for a in rated])
    reviews = Review.objects.filter(IS_WHOLE, assignment=assignment)
    filed = [Piece(*piece) for review in reviews for piece in review.evidence]
    twins = [piece for piece in filed if piece.code == "twin"]
    yield from (Flag(describe(piece)) for piece in [*pieces, *twins] if piece.code != "constant")


def _flag_haste(study: Study, seconds: Collection[float]) -> Iterator[Flag]:
    if len(seconds) >= MIN_ITEMS and median(seconds) < study.seconds_per_item / HASTE_FACTOR:
        yield Flag(
            f"Very fast: half of the texts took {median(seconds):.0f} seconds or less; the study "
            f"allows for {study.seconds_per_item}."
        )


def _flag_answers(answers: Collection[Answer]) -> Iterator[Flag]:
    n_checks = sum(a.is_checkpoint for a in answers)
    if n_failed := sum(a.is_failed for a in answers):
        yield Flag(f"Failed checkpoints: {n_failed} of {n_checks}.", is_grave=True)
    n_pasted = sum(a.has_pasted for a in answers)
    if n_pasted * 2 > len(answers) >= MIN_ITEMS:
        yield Flag(f"Pasted words: in {n_pasted} of {len(answers)} texts.")
    n_unjudged = sum(a.is_unjudgeable for a in answers)
    if n_unjudged * 3 > len(answers) >= MIN_ITEMS:
        yield Flag(f"Often could not judge: {n_unjudged} of {len(answers)} texts.")


def _flag_agreement(agreement: Agreement, n_items: int, typical: float | None) -> Iterator[Flag]:
    if n_items < MIN_COMMON_ITEMS or not agreement.is_low(typical):
        return
    if agreement.rho is not None and agreement.rho <= 0:
        yield Flag("Low agreement: ρ is 0 or less.", is_grave=True)
    else:
        yield Flag(
            "Low agreement: its interval lies below the median of the block’s annotators, "
            f"{typical:.2f}."
        )


def _recall_typical(study: Study, assignment: Assignment) -> float | None:
    """Return the cached median agreement of the annotators of its round, or None."""
    stored = read_stored(study).values()
    return next((block.typical for block in stored if block.round_id == assignment.round_id), None)
