"""What reviewers see of what they judge."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from surveys.models import Review, Verdict
from surveys.models.study import write_point
from surveys.review.agreement import tell_evidence
from surveys.review.effects import preview_effects


@dataclass(frozen=True)
class Card:
    """Something to be judged, with what was noticed and what would change without it, in words."""

    review: Review
    evidence: list[str]
    effect: str = ""
    verdicts: Sequence[Verdict] = ()

    @property
    def rating(self) -> str:
        """The rating as a point of the scale; "" if the annotator could not judge."""
        response = self.review.response
        return "" if response is None or response.rating is None else write_point(response.rating)

    @property
    def verdict(self) -> Verdict | None:
        """The one standing verdict that there is to show, the reviewer's own."""
        return next(iter(self.verdicts), None)


def list_cards(reviews: Sequence[Review]) -> list[Card]:
    """With what would change without each."""
    effects = preview_effects(reviews)
    return [Card(review, tell_evidence(review), effects[review.pk]) for review in reviews]


def list_verdict_cards(reviews: Sequence[Review], verdicts: Iterable[Verdict]) -> list[Card]:
    """With what would change, and the standing ones of these verdicts."""
    found: dict[int, list[Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.review_id, []).append(verdict)
    effects = preview_effects(reviews)
    return [
        Card(review, tell_evidence(review), effects[review.pk], found.get(review.pk, []))
        for review in reviews
    ]


def list_answer_rows(answers: Iterable[Review]) -> list[Card]:
    """Without what would change, for a table."""
    return [Card(review, tell_evidence(review)) for review in answers]
