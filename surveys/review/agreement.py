"""What is to be judged → what was noticed about it; verdicts → how far reviewers agree."""

from collections import defaultdict
from typing import NamedTuple

from surveys.models import Review, Study, Verdict
from surveys.review.evidence import Piece, tell


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
    from postprocess.statistics.kappa import cohen_kappa

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
