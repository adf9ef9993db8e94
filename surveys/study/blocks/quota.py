"""Places of the quota: release, reservation, and adjustment to the ratings wanted."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Any

from django.db.models import Count, F, Q
from django.utils import timezone

from surveys.errors import NoPlaceLeft
from surveys.models import Place, Reservation, Study
from surveys.models.participation import AssignmentQuerySet

# The columns read of a place that is freed.
WANTED = F("study__ratings_per_context") + F("questionnaire__block__n_more")
FREED_COLUMNS = ("number", "pk", "questionnaire_id", "round_id", "is_open", WANTED)
FITTED_COLUMNS = (
    "number", "pk", "questionnaire_id", "round_id", "is_open", "assignment_id",
    "reservation_id", "is_replaced", "questionnaire__block__n_more",
)  # fmt: skip
ROWS_PER_STATEMENT = 10_000  # rows named in one statement; PostgreSQL takes 65,535 parameters


def give_back_places(assignments: Sequence[int]) -> None:
    """Free the places of assignments, given by their ids, and close surplus places, last first.

    There is a surplus if the study asks for fewer ratings than when the places were taken. Reserved
    places stay reserved: they are offered again at the reservation's address.
    """
    held = [
        place
        for some in in_chunks(assignments)
        for place in Place.objects.filter(assignment__in=some).values_list(
            *FREED_COLUMNS, "reservation_id"
        )
    ]
    _update([pk for _, pk, *_ in held], assignment=None, is_replaced=False)
    _close_surplus([tuple(place) for *place, reservation in held if reservation is None])


def reserve_places(reservation: Reservation, n_places: int) -> None:
    """Reserve places, in a locked study. Raises NoPlaceLeft if too few are free."""
    free = Place.objects.free(reservation.study).filter(questionnaire=reservation.questionnaire_id)
    pks = list(free.values_list("pk", flat=True)[:n_places])
    if len(pks) < n_places:
        raise NoPlaceLeft(
            f"{reservation.questionnaire} has {len(pks)} places to give, not {n_places}: the "
            "others are taken or reserved."
        )
    Place.objects.filter(pk__in=pks).update(reservation=reservation)


def close_reservation(reservation: Reservation) -> None:
    """Close a reservation and free its places, in a locked study; those occupied stay so."""
    reservation.closed_at = timezone.now()
    reservation.save(update_fields=["closed_at"])
    free = list(reservation.places.filter(assignment=None).values_list(*FREED_COLUMNS))
    reservation.places.update(reservation=None)
    _close_surplus(free)


def _close_surplus(free: Collection[tuple[Any, ...]]) -> None:
    """Close freed places, the last first, as long as more are open than the study wants."""
    n_counted = _count_by_round({questionnaire for _, _, questionnaire, *_ in free})
    closed = []
    for _, pk, questionnaire, round_, is_open, n_wanted in sorted(free, reverse=True):
        if is_open and n_counted[questionnaire, round_] > n_wanted:
            n_counted[questionnaire, round_] -= 1
            closed.append(pk)
    _update(closed, is_open=False)


def resize_places(study: Study) -> None:
    """Create or close places in the current rounds to match the ratings wanted.

    Occupied places stay, so there may be more of them. Those that are replaced do not count.
    """
    closed: list[int] = []
    opened: list[int] = []
    made: list[Place] = []
    current = Place.objects.filter(study=study, round__is_current=True).order_by(
        "questionnaire__block__number", "questionnaire__letter", "number"
    )
    rows = current.values_list(*FITTED_COLUMNS, named=True)
    for _, group in groupby(rows, key=lambda place: place.questionnaire_id):
        places: list[Any] = list(group)
        free = [p for p in places if p.assignment_id is None and p.reservation_id is None]
        counted = [place for place in places if not place.is_replaced]
        n_counted = sum(p.is_open or p.assignment_id is not None for p in counted)
        n_wanted = study.ratings_per_context + places[0].questionnaire__block__n_more
        n_missing = n_wanted - n_counted
        closable = [place.pk for place in free if place.is_open]
        openable = [place.pk for place in free if not place.is_open][: max(0, n_missing)]
        closed += closable[n_missing:] if n_missing < 0 else []
        opened += openable
        last = places[-1]
        made += [
            Place(
                study=study,
                questionnaire_id=last.questionnaire_id,
                round_id=last.round_id,
                number=last.number + n,
            )
            for n in range(1, n_missing - len(openable) + 1)
        ]
    _update(closed, is_open=False)
    _update(opened, is_open=True)
    Place.objects.bulk_create(
        sorted(made, key=lambda place: place.number)
    )  # as in `blocks.lay_out_places`


def count_reopened(lapsed: AssignmentQuerySet) -> Counter[int]:
    """Return the number of places that lapsed assignments will free, by questionnaire."""
    given_up = Place.objects.filter(
        assignment__in=lapsed, is_open=True, reservation=None
    ).order_by()
    n_lapsed = dict(given_up.values_list("questionnaire_id").annotate(n=Count("pk")))
    taken = Place.objects.filter(is_open=True, assignment__isnull=False)
    held = taken.filter(is_replaced=False).order_by()
    reopened: Counter[int] = Counter()
    for some in in_chunks(list(n_lapsed)):
        groups = held.filter(questionnaire__in=some).values_list("questionnaire_id", WANTED)
        for questionnaire, n_wanted, n_held in groups.annotate(n=Count("pk")):
            n = reopen(n_lapsed[questionnaire], n_held=n_held, n_wanted=n_wanted)
            reopened[questionnaire] = n
    return reopened


def reopen(n_lapsed: int, *, n_held: int, n_wanted: int) -> int:
    """Return how many places of lapsed assignments can be given again instead of being closed.

    >>> reopen(3, n_held=8, n_wanted=10), reopen(3, n_held=12, n_wanted=10)
    (3, 1)
    """
    return max(0, n_lapsed - max(0, n_held - n_wanted))


def in_chunks(pks: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield ids of rows in groups small enough for one statement."""
    for start in range(0, len(pks), ROWS_PER_STATEMENT):
        yield pks[start : start + ROWS_PER_STATEMENT]


def _update(pks: Sequence[int], **fields: Any) -> None:
    for some in in_chunks(pks):
        Place.objects.filter(pk__in=some).update(**fields)


def _count_by_round(questionnaires: Collection[int]) -> Counter[tuple[int, int]]:
    """Return the number of occupied and open places by questionnaire and round."""
    is_counted = Q(is_replaced=False) & (Q(is_open=True) | Q(assignment__isnull=False))
    counts: Counter[tuple[int, int]] = Counter()
    for some in in_chunks(list(questionnaires)):
        counted = Place.objects.filter(is_counted, questionnaire__in=some).order_by()
        rows = counted.values_list("questionnaire_id", "round_id").annotate(n=Count("pk"))
        counts.update({(questionnaire, round_): n for questionnaire, round_, n in rows})
    return counts
