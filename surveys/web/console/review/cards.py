"""Answers and questionnaires as reviewers see them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from surveys.models import Review, Verdict
from surveys.models.study import write_point
from surveys.review.agreement import describe_evidence
from surveys.review.effects import preview_effects


@dataclass(frozen=True)
class Card:
    """An answer or a questionnaire under review, with its evidence and its effect in words."""

    review: Review
    evidence: list[str]
    effect: str = ""
    verdicts: Sequence[Verdict] = ()

    @property
    def rating(self) -> str:
        """Return the rating as a point of the scale; "" if the annotator could not judge."""
        response = self.review.response
        return "" if response is None or response.rating is None else write_point(response.rating)

    @property
    def verdict(self) -> Verdict | None:
        """Return the reviewer's own verdict, or None."""
        return next(iter(self.verdicts), None)


def list_cards(reviews: Sequence[Review], verdicts: Iterable[Verdict] = ()) -> list[Card]:
    """Return cards with the effect of each, and those of the verdicts that are on it."""
    found: dict[int, list[Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.review_id, []).append(verdict)
    effects = preview_effects(reviews)
    return [
        Card(review, describe_evidence(review), effects[review.pk], found.get(review.pk, []))
        for review in reviews
    ]


def list_answer_rows(answers: Iterable[Review]) -> list[Card]:
    """Return cards without effects, for a table."""
    return [Card(review, describe_evidence(review)) for review in answers]
