"""Evidence in words, and inter-reviewer agreement."""

from collections import defaultdict
from typing import NamedTuple

from surveys.models import Review, Study, Verdict
from surveys.review.evidence import Piece, describe


class Agreement(NamedTuple):
    """Agreement of two reviewers, blind to each other; kappa is NaN if it is undefined."""

    reviewers: tuple[int, int]
    n: int
    n_equal: int
    kappa: float


def describe_evidence(review: Review) -> list[str]:
    """Return the evidence about a review as sentences."""
    response = review.response
    words = (response.written1, response.written2) if response else ("", "")
    text = response.context.text if response else ""
    return [describe(Piece(*piece), words, text) for piece in review.evidence]


def list_agreement(study: Study) -> list[Agreement]:
    """Return the agreement of each two reviewers who judged the same, by user id."""
    from postprocess.statistics.agreement.kappa import cohen_kappa

    kinds: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for review, reviewer, kind in Verdict.objects.double(study):
        kinds[review][reviewer] = kind
    judged: defaultdict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    for by_reviewer in kinds.values():
        first, second = sorted(by_reviewer)
        judged[first, second].append((by_reviewer[first], by_reviewer[second]))
    return [
        Agreement(
            pair, len(both), sum(a == b for a, b in both), cohen_kappa(*zip(*both, strict=True))
        )
        for pair, both in sorted(judged.items())
    ]
