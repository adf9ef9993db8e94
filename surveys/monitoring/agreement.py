"""Agreement of the annotators of a block, to detect a bad one early.

The figures of blocks take long to compute, so they are computed on request and cached, with those
of their assignments. A figure is current while the usable assignments of its round are the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from statistics import median
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import FloatField
from django.db.models.functions import Cast
from django.utils import timezone

from surveys.models import Assignment, Response, Review, Study, VerdictKind
from surveys.models.study import Centre
from surveys.monitoring.annotator_agreement import (
    N_RESAMPLES,
    Agreement,
    compare_annotators,
    defined,
    find_typical,
)
from surveys.monitoring.assignments import Compared, summarise_assignments
from surveys.monitoring.charts import place_rho
from surveys.monitoring.progress import BlockProgress
from surveys.operations.job_process import in_job_process
from surveys.results.ratings_table import tally_answers
from surveys.study.planning.workload import count_pairs

CACHE_SECONDS = 30 * 24 * 3600
MAX_RATINGS = 10_000  # used by one request
MIN_BLOCKS = 4  # for a median that blocks are compared with
MIN_ANNOTATORS = 1  # finished, of a block that is computed: even one may rate constantly
COLUMNS = ("pair", "context", "annotator", "rating", "group")


@dataclass(frozen=True)
class StoredAgreement:
    """Mean agreement of the annotators of a round, with the data and the time it is based on.

    `figures` holds those of its finished assignments, packed: a study may have 100,000; `typical`
    is the median of their agreement. `n_constant` of them gave the same rating throughout, so that
    their correlations are undefined and left out. `unusual` and `grave` are the ids of those with
    warnings, and with warnings that ask for a decision.
    """

    agreement: Agreement
    block_number: int
    round_id: int
    n_usable: int
    last_at: datetime | None
    verdicts: int
    as_of: datetime
    figures: bytes = b""
    unusual: tuple[int, ...] = ()
    grave: tuple[int, ...] = ()
    typical: float | None = None
    n_constant: int = 0

    def is_of(self, block: BlockProgress) -> bool:
        """Return whether nothing has been finished, withdrawn or judged unusable since."""
        tally = block.tally
        now = (block.round.pk, tally.usable, tally.last_at, block.verdicts)
        return (self.round_id, self.n_usable, self.last_at, self.verdicts) == now

    def verdict(self, typical: float | None) -> str:
        """Compare the agreement with the study's median: "early", "low", "unclear" or "fine"."""
        agreement = self.agreement
        if agreement.rho is None or agreement.low is None or agreement.high is None:
            return "early"
        if typical is not None and agreement.high < typical:
            return "low"
        return "unclear" if agreement.low <= 0 else "fine"


@dataclass(frozen=True)
class MonitoredBlock:
    """A block with its progress, its agreement if computed, and the median of the blocks."""

    progress: BlockProgress
    stored: StoredAgreement | None
    typical: float | None

    @property
    def typical_at(self) -> float | None:
        """Return the position of the median of the blocks in the picture."""
        return None if self.typical is None else place_rho(self.typical)

    @property
    def is_current(self) -> bool:
        """Return whether its figure is based on all usable assignments."""
        return self.stored is not None and self.stored.is_of(self.progress)

    @property
    def n_since(self) -> int:
        """Return how many more or fewer assignments are usable than at the computation."""
        usable = self.stored.n_usable if self.stored else 0
        return abs(self.progress.tally.usable - usable)

    @property
    def verdict(self) -> str:
        """Return the verdict on its figure."""
        return self.stored.verdict(self.typical) if self.stored else "early"


class BlockWarning(NamedTuple):
    """A block to look at, and why: "low" or "unclear"."""

    block_number: int
    verdict: str


def with_agreement(
    blocks: Sequence[BlockProgress], stored: Mapping[int, StoredAgreement]
) -> list[MonitoredBlock]:
    """Return blocks with their cached agreement, which may be outdated or None."""
    typical = _median(stored)
    rows = [(block, block.round.pk, stored.get(block.round.block_id)) for block in blocks]
    return [
        MonitoredBlock(block, cached if cached and cached.round_id == current else None, typical)
        for block, current, cached in rows
    ]


def compute_agreement(
    study: Study, blocks: Sequence[BlockProgress], *, most_ratings: int = MAX_RATINGS
) -> list[MonitoredBlock]:
    """Compute and cache the outdated agreement of at least one block; return all blocks.

    Further blocks follow until `most_ratings` ratings have been used; others stay outdated.
    """
    changed: dict[int, StoredAgreement] = {}
    block_size = study.block_size or count_pairs(study)[0]
    for block in list_outdated(with_agreement(blocks, read_stored(study))):
        progress = block.progress
        most_ratings -= progress.tally.usable * block_size
        if most_ratings >= 0 or not changed:
            changed[progress.round.block_id] = _compute(study, progress)
    stored = read_stored(study) | changed  # another process may have added some
    if changed:
        tuples = {block: astuple(agreement) for block, agreement in stored.items()}
        cache.set(_key(study), tuples, CACHE_SECONDS)
    return with_agreement(blocks, stored)


def measure_doubled(study: Study) -> tuple[int, float] | None:
    """Return the number of items answered twice, and kappa of the first and the second answer.

    None unless answers are categories and the study doubles items; kappa may be NaN.
    """
    from postprocess.statistics.agreement.kappa import cohen_kappa

    if not study.n_doubled or study.centre != Centre.MAJORITY or study.collects_translations:
        return None
    tallies = tally_answers(study, item__questionnaire__block__n_more=1).values()
    both = [[*tally.answers.values()][:2] for tally in tallies if len(tally.answers) > 1]
    first, second = zip(*both, strict=True) if both else ((), ())
    return len(both), cohen_kappa(first, second)


def list_outdated(blocks: Iterable[MonitoredBlock]) -> list[MonitoredBlock]:
    """Return the blocks with a usable assignment whose agreement is missing or outdated."""
    return [
        block
        for block in blocks
        if block.progress.tally.usable >= MIN_ANNOTATORS and not block.is_current
    ]


def list_warnings(stored: Mapping[int, StoredAgreement]) -> list[BlockWarning]:
    """Return the blocks with low agreement, or agreement that may be chance."""
    typical = _median(stored)
    blocks = [BlockWarning(block.block_number, block.verdict(typical)) for block in stored.values()]
    return sorted(block for block in blocks if block.verdict in {"low", "unclear"})


@in_job_process
def _compute(study: Study, block: BlockProgress) -> StoredAgreement:
    import pandas as pd

    from postprocess.statistics.agreement.by_group import agreement_table

    submitted = Assignment.objects.submitted().filter(round=block.round)
    agreements = compare_annotators(block.round)
    typical = find_typical(agreements.values())
    compared = {pk: Compared(agreement, typical) for pk, agreement in agreements.items()}
    summaries = summarise_assignments(study, list(submitted.order_by("pk")), compared)
    finished = submitted.exclude(pk__in=Review.objects.unwanted_wholes())
    answers = Response.objects.rated().on_stimuli().filter(assignment__in=finished)
    answers = answers.exclude(review__outcome__in=VerdictKind.against())
    rows = answers.order_by().values_list(
        "pair_id",
        "context__number",
        "annotator_id",
        Cast("valid_rating", FloatField()),
        "assignment__questionnaire_id",
    )
    ratings = pd.DataFrame(list(rows), columns=list(COLUMNS))
    estimate = agreement_table(ratings, by=(), figures=["human"], n_resamples=N_RESAMPLES).iloc[0]
    return StoredAgreement(
        agreement=Agreement(*(defined(estimate[f"human{end}"]) for end in ("", "_low", "_high"))),
        block_number=block.round.block.number,
        round_id=block.round.pk,
        n_usable=block.tally.usable,
        last_at=block.tally.last_at,
        verdicts=block.verdicts,
        as_of=timezone.now(),
        figures=b"".join(summary.pack() for summary in summaries),
        unusual=tuple(summary.assignment.pk for summary in summaries if summary.flags),
        grave=tuple(summary.assignment.pk for summary in summaries if summary.is_grave),
        typical=typical,
        n_constant=int((ratings.groupby("annotator")["rating"].nunique() == 1).sum()),
    )


def _median(stored: Mapping[int, StoredAgreement]) -> float | None:
    """Return the median agreement of the blocks, or None if there are too few."""
    figures = [g.agreement.rho for g in stored.values() if g.agreement.rho is not None]
    return median(figures) if len(figures) >= MIN_BLOCKS else None


def read_stored(study: Study) -> dict[int, StoredAgreement]:
    """Return the cached figures of a study by block id."""
    cached = cache.get(_key(study), {})
    return {
        block: StoredAgreement(Agreement(*figures), *rest)
        for block, (figures, *rest) in cached.items()
    }


def _key(study: Study) -> str:
    """Return a cache key that changes with the fields, since plain tuples are cached."""
    names = "-".join(field.name for kind in (StoredAgreement, Agreement) for field in fields(kind))
    return f"{names}-{study.pk}-{study.revision}"
