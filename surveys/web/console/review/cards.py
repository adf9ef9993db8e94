"""Answers and questionnaires as reviewers see them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from surveys.models import Review, Verdict
from surveys.models.study import write_point
from surveys.review.agreement import describe_evidence


@dataclass(frozen=True)
class Card:
    """An answer or a questionnaire under review, with its evidence in words."""

    review: Review
    evidence: list[str]
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


def list_cards(reviews: Iterable[Review], verdicts: Iterable[Verdict] = ()) -> list[Card]:
    """Return cards, each with its verdicts."""
    by_review: dict[int, list[Verdict]] = {}
    for verdict in verdicts:
        by_review.setdefault(verdict.review_id, []).append(verdict)
    return [Card(r, describe_evidence(r), by_review.get(r.pk, [])) for r in reviews]
