"""Answers so far → agreement: of a block, so that a bad one is seen early, and of an annotator.

The figures of blocks take long, so pages show those that are kept, with what they were computed
from and when, and others are computed when asked for. A figure is current while the finished
assignments of its round are still those.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from math import isnan
from statistics import median
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db.models import Count, FloatField, Sum
from django.db.models.functions import Cast
from django.utils import timezone

from surveys.models import Assignment, Response, Review, Study, VerdictKind
from surveys.monitoring.charts import Interval, draw_interval, place_rho
from surveys.monitoring.progress import BlockProgress

KEPT_SECONDS = 30 * 24 * 3600
N_RESAMPLES = 200  # of a block's items; its interval is to be seen, not to be published
MOST_AT_ONCE = 10_000  # ratings looked at when somebody asks for the figures
FEWEST_BLOCKS = 4  # for a median that a block is held against
FEWEST_ANNOTATORS = 2  # who have finished, for a figure
COLUMNS = ("pair", "context", "annotator", "rating", "group")


@dataclass(frozen=True)
class Agreement:
    """Spearman's rho with the mean of the others, and its 95 % interval; None if undefined."""

    rho: float | None
    low: float | None
    high: float | None

    @property
    def picture(self) -> Interval | None:
        """As it is drawn, if it is defined."""
        if self.rho is None or self.low is None or self.high is None:
            return None
        return draw_interval(self.rho, self.low, self.high)


@dataclass(frozen=True)
class Gauge:
    """The agreement within a round: the mean of its annotators'. What it rests on, and when."""

    agreement: Agreement
    block_number: int
    round_id: int
    n_usable: int
    last_at: datetime | None
    verdicts: int
    as_of: datetime

    def is_of(self, block: BlockProgress) -> bool:
        """Whether nothing has been finished, withdrawn or judged unusable since."""
        tally = block.tally
        now = (block.round.pk, tally.usable, tally.last_at, block.verdicts)
        return (self.round_id, self.n_usable, self.last_at, self.verdicts) == now

    def verdict(self, typical: float | None) -> str:
        """What it says beside the median of the study: "early", "low", "unclear" or "fine"."""
        found = self.agreement
        if found.rho is None or found.low is None or found.high is None:
            return "early"
        if typical is not None and found.high < typical:
            return "low"
        return "unclear" if found.low <= 0 else "fine"


@dataclass(frozen=True)
class GaugedBlock:
    """How far a block has come, and how well its annotators agree."""

    progress: BlockProgress
    gauge: Gauge | None
    typical: float | None

    @property
    def typical_at(self) -> float | None:
        """Where the median of all blocks stands in the picture."""
        return None if self.typical is None else place_rho(self.typical)

    @property
    def is_current(self) -> bool:
        """Whether its figure rests on all that is finished."""
        return self.gauge is not None and self.gauge.is_of(self.progress)

    @property
    def n_since(self) -> int:
        """How many assignments more or fewer are usable than when its figure was made."""
        usable = self.gauge.n_usable if self.gauge else 0
        return abs(self.progress.tally.usable - usable)

    @property
    def verdict(self) -> str:
        """What its figure says, in a word."""
        return self.gauge.verdict(self.typical) if self.gauge else "early"


class Worry(NamedTuple):
    """A block worth a look, and why: "low" or "unclear"."""

    block_number: int
    verdict: str


def find_gauges(study: Study, blocks: Sequence[BlockProgress]) -> list[GaugedBlock]:
    """Blocks with the agreement that is kept of each, which may be of some time ago, or none."""
    return _with_gauges(blocks, _read(study))


def gauge_blocks(
    study: Study, blocks: Sequence[BlockProgress], *, most_ratings: int = MOST_AT_ONCE
) -> list[GaugedBlock]:
    """Blocks with their agreement; what has changed is computed anew, one block of it at least.

    More of them while there are at most so many ratings, together with those of blocks before.
    Other figures stay as they were, and say so.
    """
    changed: dict[int, Gauge] = {}
    for block in list_changed(find_gauges(study, blocks)):
        progress = block.progress
        most_ratings -= progress.tally.usable * study.block_size
        if most_ratings >= 0 or not changed:
            changed[progress.round.block_id] = _gauge(progress)
    gauges = _read(study) | changed  # another process may have added some
    if changed:
        kept_as = {block: astuple(gauge) for block, gauge in gauges.items()}
        cache.set(_key(study), kept_as, KEPT_SECONDS)
    return _with_gauges(blocks, gauges)


def list_changed(blocks: Iterable[GaugedBlock]) -> list[GaugedBlock]:
    """Those that have answers enough for a figure, and none that rests on all of them."""
    return [
        block
        for block in blocks
        if block.progress.tally.usable >= FEWEST_ANNOTATORS and not block.is_current
    ]


def list_worries(study: Study) -> list[Worry]:
    """The blocks whose annotators agreed less than elsewhere, or perhaps by chance, when gauged."""
    gauges = _read(study)
    typical = _median(gauges)
    found = [Worry(gauge.block_number, gauge.verdict(typical)) for gauge in gauges.values()]
    return sorted(worry for worry in found if worry.verdict in {"low", "unclear"})


def agreement_of(assignment: Assignment, own: Mapping[int, float]) -> Agreement:
    """How an annotator agrees with the mean of those who finished the same questionnaire.

    `own` are their ratings so far, by the id of the context; their own are not in the mean.
    """
    from postprocess.statistics.agreement.measures import agreement_with_means

    others = Response.objects.rated().on_stimuli().filter(
        assignment__in=Assignment.objects.submitted()
        .filter(questionnaire=assignment.questionnaire_id, round=assignment.round_id)
        .exclude(pk=assignment.pk)
    )  # fmt: skip
    sums = others.order_by().values_list("context_id")
    totals = sums.annotate(total=Sum(Cast("rating", FloatField())), n=Count("pk"))
    means = {context: total / n for context, total, n in totals}
    common = sorted(own.keys() & means.keys())
    ours, theirs = [own[c] for c in common], [means[c] for c in common]
    return Agreement(*map(_defined, agreement_with_means(ours, theirs)))


def _gauge(block: BlockProgress) -> Gauge:
    import pandas as pd

    from postprocess.statistics.agreement.by_group import agreement_table

    finished = Assignment.objects.submitted().filter(round=block.round)
    finished = finished.exclude(pk__in=Review.objects.unwanted_wholes())
    answers = Response.objects.rated().on_stimuli().filter(assignment__in=finished)
    answers = answers.exclude(review__outcome__in=VerdictKind.against())
    rows = answers.order_by().values_list(
        "pair_id",
        "context__number",
        "annotator_id",
        Cast("rating", FloatField()),
        "assignment__questionnaire_id",
    )
    ratings = pd.DataFrame(list(rows), columns=list(COLUMNS))
    found = agreement_table(ratings, by=(), figures=["human"], n_resamples=N_RESAMPLES).iloc[0]
    return Gauge(
        agreement=Agreement(*(_defined(found[f"human{end}"]) for end in ("", "_low", "_high"))),
        block_number=block.round.block.number,
        round_id=block.round.pk,
        n_usable=block.tally.usable,
        last_at=block.tally.last_at,
        verdicts=block.verdicts,
        as_of=timezone.now(),
    )


def _with_gauges(blocks: Sequence[BlockProgress], gauges: Mapping[int, Gauge]) -> list[GaugedBlock]:
    """A figure of an earlier round is none of the block as it is collected now."""
    typical = _median(gauges)
    found = [(block, gauges.get(block.round.block_id)) for block in blocks]
    return [
        GaugedBlock(block, gauge if gauge and gauge.round_id == block.round.pk else None, typical)
        for block, gauge in found
    ]


def _median(gauges: Mapping[int, Gauge]) -> float | None:
    """The median of the blocks' figures, if there are some."""
    figures = [g.agreement.rho for g in gauges.values() if g.agreement.rho is not None]
    return median(figures) if len(figures) >= FEWEST_BLOCKS else None


def _read(study: Study) -> dict[int, Gauge]:
    """The figures that are kept for a study, by the id of the block."""
    found = cache.get(_key(study), {})
    return {block: Gauge(Agreement(*figures), *rest) for block, (figures, *rest) in found.items()}


def _defined(figure: Any) -> float | None:
    return None if isnan(figure) else float(figure)


def _key(study: Study) -> str:
    """What is kept under it are bare tuples of these fields: no class that may change."""
    names = "-".join(field.name for kind in (Gauge, Agreement) for field in fields(kind))
    return f"{names}-{study.pk}-{study.revision}"
