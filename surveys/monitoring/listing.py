"""Lists of assignments and of blocks: their order, and the filter "worth a look"."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isnan, nan
from typing import Any, NamedTuple

from django.db.models import Count, Max, QuerySet
from django.db.models.expressions import OrderBy

from surveys.models import Assignment, Review, Study
from surveys.models.participation import AssignmentQuerySet
from surveys.monitoring.agreement import MIN_ANNOTATORS, StoredAgreement, list_warnings, read_stored
from surveys.monitoring.assignments import (
    AssignmentSummary,
    Compared,
    Figures,
    summarise_assignments,
    unpack,
)
from surveys.monitoring.progress import TAKEN, Tally

LATEST = "-begun"
LOOKS = {"": "all", "unusual": "worth a look", "grave": "needs a decision"}
COLUMNS = {  # name of an order → columns of the database
    "begun": ("pk",),
    "code": ("annotator__code", "pk"),
    "questionnaire": ("questionnaire__block__number", "questionnaire__letter", "pk"),
    "state": ("state", "pk"),
    "minutes": (),
}
FIGURES = {  # name of an order → place in the cached figures
    "mean": Figures._fields.index("mean"),
    "spread": Figures._fields.index("spread"),
    "agreement": Figures._fields.index("rho"),
}
ORDERS = {
    LATEST: "latest first",
    "begun": "earliest first",
    "agreement": "agreement, lowest first",
    "-agreement": "agreement, highest first",
    "minutes": "minutes, fewest first",
    "-minutes": "minutes, most first",
    "spread": "spread, smallest first",
    "-spread": "spread, largest first",
    "mean": "mean, lowest first",
    "-mean": "mean, highest first",
    "questionnaire": "questionnaire",
    "-questionnaire": "questionnaire, from the end",
    "state": "state",
    "-state": "state, from the end",
    "code": "annotator",
    "-code": "annotator, from the end",
}
HEADINGS = (  # label, order at the first click or "", whether numbers are below
    ("Annotator", "code", False),
    ("Questionnaire", "questionnaire", False),
    ("State", "state", False),
    ("Answered", "", True),
    ("Minutes", "minutes", True),
    ("Mean", "mean", True),
    ("Spread", "spread", True),
    ("Agreement (95 % interval)", "agreement", False),
)


BLOCK_ORDERS = {
    "number": "number",
    "-number": "number, from the end",
    "agreement": "agreement, lowest first",
    "-agreement": "agreement, highest first",
    "progress": "progress, least first",
    "-progress": "progress, most first",
    "-live": "in progress, most first",
    "live": "in progress, fewest first",
    "finished": "finished, fewest first",
    "-finished": "finished, most first",
    "usable": "usable, fewest first",
    "-usable": "usable, most first",
}
BLOCK_HEADINGS = (
    ("Block", "number", False),
    ("Questionnaire", "", False),
    ("Wanted", "", True),
    ("In progress", "-live", True),
    ("Finished", "finished", True),
    ("Usable", "usable", True),
    ("Progress", "progress", False),
    ("Median minutes", "", True),
    ("Agreement (95 % interval)", "agreement", False),
)


class Looks(NamedTuple):
    """Numbers of finished assignments with warnings, and with warnings that need a decision."""

    unusual: int
    grave: int


def list_assignments(
    study: Study, assignments: AssignmentQuerySet, *, order: str = "", look: str = ""
) -> Sequence[int] | QuerySet[Any, int]:
    """Return the ids of assignments in an order of `ORDERS`; cached figures that are unknown last.

    `look` is a key of `LOOKS`; warnings are known of finished assignments in blocks with figures.
    """
    order = order or LATEST
    name = order.removeprefix("-")
    ids = _in_order(assignments, LATEST if name in FIGURES else order).values_list("pk", flat=True)
    if not look and name not in FIGURES:
        return ids
    stored = read_stored(study).values()
    listed = list(ids)
    if look:
        chosen = _find_unusual(stored) if look == "unusual" else _find_grave(stored)
        listed = [pk for pk in listed if pk in chosen]
    if place := FIGURES.get(name):
        values = {row[0]: row[place] for block in stored for row in unpack(block.figures)}
        sortable = [pk for pk in listed if not isnan(values.get(pk, nan))]
        sortable.sort(key=values.__getitem__, reverse=order.startswith("-"))
        unknown = [pk for pk in listed if isnan(values.get(pk, nan))]
        return sortable + unknown
    return listed


def show_assignments(study: Study, ids: Sequence[int]) -> list[AssignmentSummary]:
    """Return assignments by their ids, with their figures; three queries for any number."""
    assignments = Assignment.objects.select_related("annotator__invitation", "questionnaire__block")
    by_id = assignments.in_bulk(ids)
    return summarise_assignments(
        study, [by_id[pk] for pk in ids if pk in by_id], recall(study, ids)
    )


def recall(study: Study, ids: Collection[int]) -> dict[int, Compared]:
    """Return the cached agreement of assignments by their ids."""
    requested = {*ids}
    return {
        row[0]: Compared(Figures._make(row).agreement, block.typical)
        for block in read_stored(study).values()
        for row in unpack(block.figures)
        if row[0] in requested
    }


def count_looks(stored: Mapping[int, StoredAgreement], rounds: Collection[int]) -> Looks:
    """Return the numbers of assignments with warnings in current rounds, given by their ids."""
    current = [block for block in stored.values() if block.round_id in rounds]
    return Looks(len(_find_unusual(current)), len(_find_grave(current)))


def list_blocks(
    stored: Mapping[int, StoredAgreement], tallies: Mapping[int, Tally], *, order: str, look: str
) -> list[int]:
    """Return the ids of current rounds in an order of `BLOCK_ORDERS`; unknown agreement last.

    `tallies` has their progress, in the order of blocks. `look`: only blocks with low or unclear
    agreement, or if "grave", with low agreement.
    """
    listed = list(tallies)
    if look:
        verdicts = {"low"} if look == "grave" else {"low", "unclear"}
        numbers = {b.block_number for b in list_warnings(stored) if b.verdict in verdicts}
        rounds = {block.round_id for block in stored.values() if block.block_number in numbers}
        listed = [pk for pk in listed if pk in rounds]
    name, is_reversed = order.removeprefix("-"), order.startswith("-")
    if name == "number":
        return listed[::-1] if is_reversed else listed
    if name == "agreement":
        values = {block.round_id: block.agreement.rho for block in stored.values()}
    else:
        field = "usable_share" if name == "progress" else name
        values = {pk: getattr(tally, field) for pk, tally in tallies.items()}
    sortable = [pk for pk in listed if values.get(pk) is not None]
    sortable.sort(key=lambda pk: values[pk] or 0, reverse=is_reversed)
    return sortable + [pk for pk in listed if values.get(pk) is None]


def find_outdated_rounds(study: Study) -> list[int]:
    """Return the ids of current rounds with a usable assignment whose figures lack the latest."""
    usable = Assignment.objects.for_study(study).counted()
    usable = usable.exclude(pk__in=Review.objects.unwanted_wholes())
    rows = usable.order_by().values_list("round_id")
    states = {pk: (n, at) for pk, n, at in rows.annotate(n=Count("pk"), at=Max("submitted_at"))}
    cached = {b.round_id: (b.n_usable, b.last_at) for b in read_stored(study).values()}
    return sorted(
        pk for pk, state in states.items() if state[0] >= MIN_ANNOTATORS and cached.get(pk) != state
    )


def _in_order(assignments: AssignmentQuerySet, order: str) -> AssignmentQuerySet:
    """Return assignments in an order of the database, those without minutes last."""
    name, sign = order.removeprefix("-"), "-" if order.startswith("-") else ""
    if name == "minutes":
        taken = OrderBy(TAKEN, descending=bool(sign), nulls_last=True)
        return assignments.order_by(taken, "-pk")
    return assignments.order_by(*(f"{sign}{column}" for column in COLUMNS[name]))


def _find_unusual(stored: Iterable[StoredAgreement]) -> set[int]:
    return {pk for block in stored for pk in block.unusual}


def _find_grave(stored: Iterable[StoredAgreement]) -> set[int]:
    """Return the assignments with grave warnings on which reviewers have not decided since."""
    grave = {pk for block in stored for pk in block.grave}
    if not grave:
        return grave
    return grave.difference(Review.objects.judged_wholes().values_list("assignment_id", flat=True))
