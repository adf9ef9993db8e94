"""Assignments in lists: their progress, statistics of their ratings, and warnings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from struct import Struct
from typing import Any, NamedTuple

from django.db.models import Avg, Count, FloatField, Max, Min, Q, Sum
from django.db.models.functions import Cast

from surveys.models import Assignment, Response, Review, Study, VerdictKind
from surveys.models.participation import FAILS_CHECKPOINT
from surveys.monitoring.annotator_agreement import Agreement
from surveys.monitoring.contexts import spread_of_sums

MIN_ITEMS = 4  # answered, before there are warnings
MIN_COMMON_ITEMS = 10  # before there is a warning about agreement
HASTE_FACTOR = 4  # very fast: this many times faster than the study allows
PACKED = Struct("<q2f3d")  # id, mean, spread, agreement and its interval


class Compared(NamedTuple):
    """An assignment's agreement, and the median of the round that it is compared with."""

    agreement: Agreement
    typical: float | None


UNDEFINED = Compared(Agreement(None, None, None), None)


class Flag(NamedTuple):
    """A warning; a grave one asks for a decision on whether the answers are used."""

    text: str
    is_grave: bool = False


class Figures(NamedTuple):
    """The cached figures of a finished assignment; NaN if undefined."""

    assignment_id: int
    mean: float
    spread: float
    rho: float
    low: float
    high: float

    @property
    def agreement(self) -> Agreement:
        return Agreement(*(None if isnan(x) else x for x in self[3:]))


@dataclass(frozen=True)
class AssignmentSummary:
    """An assignment in a list: its progress, statistics of its ratings, and warnings.

    `verdict` is that of the review on the assignment as a whole, or "".
    """

    assignment: Assignment
    n_answered: int
    mean: float | None
    spread: float | None
    minutes: float | None
    agreement: Agreement
    verdict: str
    flags: list[Flag]

    @property
    def is_grave(self) -> bool:
        """Return whether a decision is needed: there is a grave warning, and no verdict."""
        return not self.verdict and any(flag.is_grave for flag in self.flags)

    @property
    def is_set_aside(self) -> bool:
        return self.verdict in VerdictKind.against()

    def pack(self) -> bytes:
        """Return its id and figures as bytes; `unpack` reads them."""
        agreement = self.agreement
        figures = (self.mean, self.spread, agreement.rho, agreement.low, agreement.high)
        return PACKED.pack(self.assignment.pk, *(nan if x is None else x for x in figures))


def unpack(packed: bytes) -> Iterator[tuple[Any, ...]]:
    """Return the fields of `Figures`; bare tuples, as there may be 100,000."""
    return PACKED.iter_unpack(packed)


def summarise_assignments(
    study: Study, assignments: Sequence[Assignment], compared: Mapping[int, Compared]
) -> list[AssignmentSummary]:
    """Return assignments with statistics of their answers; two queries for any number.

    `compared` holds what is known of their agreement by their ids.
    """
    sums, ids = _sum_answers(assignments), [a.pk for a in assignments]
    wholes = Review.objects.judged_wholes().filter(assignment__in=ids)
    verdicts = dict(wholes.values_list("assignment_id", "outcome"))
    return [
        _summarise(
            study, a, sums.get(a.pk, {}), compared.get(a.pk, UNDEFINED), verdicts.get(a.pk, "")
        )
        for a in assignments
    ]


def _sum_answers(assignments: Sequence[Assignment]) -> dict[int, dict[str, Any]]:
    on_stimuli = Q(pair__is_checkpoint=False, valid_rating__isnull=False)
    points = Cast("valid_rating", FloatField())
    rows: Any = (
        Response.objects.with_valid_rating()
        .filter(assignment__in=[a.pk for a in assignments])
        .order_by()
        .values("assignment_id")
        .annotate(
            n_answered=Count("rated_at"),
            n_rated=Count("pk", filter=on_stimuli),
            mean=Avg(points, filter=on_stimuli),
            squares=Sum(points * points, filter=on_stimuli),
            lowest=Min("valid_rating", filter=on_stimuli),
            highest=Max("valid_rating", filter=on_stimuli),
            n_checks=Count("rated_at", filter=Q(pair__is_checkpoint=True)),
            n_failed=Count("pk", filter=FAILS_CHECKPOINT),
        )
    )
    return {row["assignment_id"]: row for row in rows}


def _summarise(
    study: Study, assignment: Assignment, sums: dict[str, Any], compared: Compared, verdict: str
) -> AssignmentSummary:
    seconds = None
    if assignment.started_at and assignment.submitted_at:
        seconds = (assignment.submitted_at - assignment.started_at).total_seconds()
    return AssignmentSummary(
        assignment=assignment,
        n_answered=sums.get("n_answered", 0),
        mean=sums.get("mean"),
        spread=spread_of_sums(sums.get("n_rated", 0), sums.get("mean"), sums.get("squares")),
        minutes=None if seconds is None else seconds / 60,
        agreement=compared.agreement,
        verdict=verdict,
        flags=list(_flag(study, assignment, sums, seconds, compared)),
    )


def _flag(
    study: Study,
    assignment: Assignment,
    sums: dict[str, Any],
    seconds: float | None,
    compared: Compared,
) -> Iterator[Flag]:
    n_rated = sums.get("n_rated", 0)
    if n_rated >= MIN_ITEMS and sums["lowest"] == sums["highest"]:
        yield Flag("constant ratings", is_grave=True)
    if sums.get("n_failed"):
        text = f"failed checkpoints: {sums['n_failed']} of {sums['n_checks']}"
        yield Flag(text, is_grave=True)
    agreement, typical = compared
    if n_rated >= MIN_COMMON_ITEMS and agreement.is_low(typical):
        yield Flag("low agreement", is_grave=(agreement.rho or 0) <= 0)
    if seconds is not None and seconds < assignment.n_items * study.seconds_per_item / HASTE_FACTOR:
        yield Flag("very fast")
