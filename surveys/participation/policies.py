"""Assignment policies: functions that choose a place; a study names one.

A policy gets the free places that the annotator may have (in the order of a balanced design) and a
random source whose seed is stored with the assignment, and returns a place.
"""

import random
from collections.abc import Callable
from typing import NamedTuple

from surveys.models import AssigningPolicy, Place, Questionnaire, Study
from surveys.models.quota import PlaceQuerySet


class Choice(NamedTuple):
    """The chosen place, and the reason."""

    place: Place
    reason: str


Policy = Callable[[PlaceQuerySet, random.Random], Place | None]


def choose_place(study: Study, free: PlaceQuerySet, chance: random.Random) -> Choice | None:
    """Return a free place chosen by the study's policy, or None if there is none."""
    place = POLICIES[AssigningPolicy(study.assigning_policy)](free, chance)
    if place is None:
        return None
    place.questionnaire.block.study = study  # names the questionnaire
    reason = f"{study.assigning_policy}: place {place.number} of {study.ratings_per_context}"
    return Choice(place, f"{reason} in {place.questionnaire}")


def fill_evenly(free: PlaceQuerySet, chance: random.Random) -> Place | None:
    """Return the free place with the lowest number, by block, A before B."""
    return free.with_questionnaire().first()


def fill_blocks(free: PlaceQuerySet, chance: random.Random) -> Place | None:
    """Return a place in the first block that is not full, its two questionnaires evenly."""
    first = free.order_by("questionnaire_id", "number", "pk").first()  # laid out block by block
    if first is None:
        return None
    both = Questionnaire.objects.filter(block__questionnaires=first.questionnaire_id)
    firsts = [free.with_questionnaire().filter(questionnaire=half).first() for half in both]
    return min((place for place in firsts if place), key=lambda place: (place.number, place.pk))


def fill_by_chance(free: PlaceQuerySet, chance: random.Random) -> Place | None:
    """Return any free place with equal probability."""
    n_free = free.count()
    if not n_free:
        return None
    pk = free.values_list("pk", flat=True)[chance.randrange(n_free)]  # found in an index alone
    return free.with_questionnaire().get(pk=pk)


POLICIES: dict[AssigningPolicy, Policy] = {
    AssigningPolicy.BALANCED: fill_evenly,
    AssigningPolicy.BLOCKWISE: fill_blocks,
    AssigningPolicy.RANDOM: fill_by_chance,
}
