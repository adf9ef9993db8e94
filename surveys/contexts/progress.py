"""How far the choices are: pairs by state, agreement of experts, and what was chosen."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Count, Q

from surveys.contexts.choices import FIRST, SECOND, are_alike
from surveys.contexts.models import CandidatePair, CandidateSet, ContextChoice, SelectionState
from surveys.models import Study
from surveys.study.stimuli.sources import LicenceCount, count_licences

MOST_SOURCES = 10  # files that are named
SHOWN = ("distance", "scores", "licence", "file", "document")  # of a candidate
BINS = ((1, 1), (2, 5), (6, 10), (11, 20), (21, 40), (41, None))  # of distances, in words


class Bin(NamedTuple):
    """How many chosen contexts have a distance from `lowest` to `highest`; `share` is in per cent
    of the fullest bin.
    """

    lowest: int
    highest: int | None
    n_contexts: int
    share: int


class Contrast(NamedTuple):
    """How far the scores of one model differ between the two contexts of pairs: the median."""

    model: str
    n_pairs: int
    median: float


class SourceCount(NamedTuple):
    """How many contexts come from a file of a corpus, and from how many of its documents."""

    file: str
    n_contexts: int
    n_documents: int


class SelectionProgress(NamedTuple):
    """The pairs of a study by state, and the choices that experts made twice."""

    n_pairs: int
    n_open: int
    n_disputed: int
    n_chosen: int
    n_skipped: int
    n_few: int
    n_double: int
    n_agreed: int

    @property
    def n_decided(self) -> int:
        return self.n_chosen + self.n_skipped

    @property
    def decided_percent(self) -> int:
        return round(100 * self.n_decided / self.n_pairs) if self.n_pairs else 0

    @property
    def agreed_percent(self) -> float | None:
        """How many per cent of the pairs that two experts judged they agree on."""
        return 100 * self.n_agreed / self.n_double if self.n_double else None


class ChosenContexts(NamedTuple):
    """What is known of the contexts chosen: distances, contrast of scores, sources, licences,
    reasons.

    `sources` are the files with the most contexts, and `n_other_files` the number of the others.
    """

    distances: list[Bin]
    distance: float | None  # the median
    contrasts: list[Contrast]
    sources: list[SourceCount]
    n_other_files: int
    licences: list[LicenceCount]
    reasons: list[tuple[str, int]]


def count_progress(stored: CandidateSet) -> SelectionProgress:
    """Return how far the choices of a study are; two queries."""
    pairs = CandidatePair.objects.filter(study=stored.study_id)
    by_state = {state: Count("pk", filter=Q(state=state)) for state in SelectionState.values}
    few = Count("pk", filter=Q(n_candidates__lt=stored.n_wanted))
    counted = pairs.aggregate(n_pairs=Count("pk"), n_few=few, **by_state)
    n_double, n_agreed = _count_agreed(stored.study)
    states = {f"n_{state}": counted.pop(state) for state in SelectionState.values}
    return SelectionProgress(**counted, **states, n_double=n_double, n_agreed=n_agreed)


def describe_chosen(study: Study) -> ChosenContexts:
    """Return what is known of the contexts chosen; two queries."""
    decisive = ContextChoice.objects.filter(pair__study=study, is_decisive=True)
    chosen = list(
        decisive.filter(reason="").order_by().values_list(
            *(f"candidate{n}__{name}" for name in SHOWN for n in (1, 2))
        )
    )  # fmt: skip
    reasons = Counter(
        choice.get_reason_display() for choice in decisive.exclude(reason="").order_by()
    )
    distances = [distance for row in chosen for distance in row[:2]]
    sources = _count_sources([place for row in chosen for place in (row[6::2], row[7::2])])
    return ChosenContexts(
        _count_distances(distances),
        median(distances) if distances else None,
        _list_contrasts([row[2:4] for row in chosen]),
        sources[:MOST_SOURCES],
        len(sources[MOST_SOURCES:]),
        count_licences(Counter(licence for row in chosen for licence in row[4:6]).items()),
        reasons.most_common(),
    )


def _count_agreed(study: Study) -> tuple[int, int]:
    """Return on how many pairs two experts gave an opinion, and on how many the same."""
    standing = ContextChoice.objects.standing().filter(
        pair__study=study, opinion__in=(FIRST, SECOND), pair__choices__opinion=SECOND,
        pair__choices__undone_at=None,
    )  # fmt: skip
    choices = sorted(standing.order_by(), key=lambda choice: choice.pair_id)
    groups = [list(group) for _, group in groupby(choices, key=lambda choice: choice.pair_id)]
    twice = [group for group in groups if len(group) == SECOND]
    return len(twice), sum(are_alike(*group) for group in twice)


def _count_distances(distances: Sequence[int]) -> list[Bin]:
    counts = [
        sum(low <= distance <= (high or distance) for distance in distances) for low, high in BINS
    ]
    most = max(counts, default=0) or 1
    return [
        Bin(low, high, n, round(100 * n / most))
        for (low, high), n in zip(BINS, counts, strict=True)
    ]


def _count_sources(places: Sequence[tuple[str, str]]) -> list[SourceCount]:
    """Return the files of contexts, given by file and document, the most frequent first."""
    n_documents = Counter(file for file, _ in set(places))
    n_contexts = Counter(file for file, _ in places)
    ordered = sorted(n_contexts.items(), key=lambda count: (-count[1], count[0]))
    return [SourceCount(file, n, n_documents[file]) for file, n in ordered]


def _list_contrasts(pairs: Iterable[tuple[Any, ...]]) -> list[Contrast]:
    differences: dict[str, list[float]] = {}
    for first, second in pairs:
        for model in first.keys() & second.keys():
            if first[model] is not None and second[model] is not None:
                differences.setdefault(model, []).append(abs(first[model] - second[model]))
    return [Contrast(model, len(d), median(d)) for model, d in sorted(differences.items())]
