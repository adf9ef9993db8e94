"""Free places → the one that whoever arrives is given. Policies are functions; a study names one.

A policy gets the free places that the annotator may have (in the order of a balanced design) and
a source of chance whose seed is stored with the assignment, and returns a place and its reason.
"""

import random
from collections.abc import Callable
from typing import NamedTuple

from surveys.models import AssigningPolicy, Block, Place, Study
from surveys.models.collection import PlaceQuerySet


class Choice(NamedTuple):
    """The place that is given, and why this one."""

    place: Place
    reason: str


Policy = Callable[[PlaceQuerySet, random.Random], Place | None]


def choose_place(study: Study, free: PlaceQuerySet, chance: random.Random) -> Choice | None:
    """One of the free places by the policy of the study; None when there is none."""
    place = POLICIES[AssigningPolicy(study.assigning_policy)](free, chance)
    if place is None:
        return None
    wanted = f"place {place.number} of {study.ratings_per_context}"
    return Choice(place, f"{study.assigning_policy}: {wanted} in {place.questionnaire}")


def fill_evenly(free: PlaceQuerySet, chance: random.Random) -> Place | None:
    """The lowest number that is free anywhere; of equals the first block's, A before B."""
    return free.with_questionnaire().first()


def fill_blocks(free: PlaceQuerySet, chance: random.Random) -> Place | None:
    """The first block that is not full, its two questionnaires evenly."""
    unfinished = Block.objects.filter(questionnaires__places__in=free).order_by("number")
    return (
        free.with_questionnaire().filter(questionnaire__block=unfinished.values("pk")[:1]).first()
    )


def fill_by_chance(free: PlaceQuerySet, chance: random.Random) -> Place | None:
    """Any, each as likely as the other."""
    n_free = free.count()
    return free.with_questionnaire()[chance.randrange(n_free)] if n_free else None


POLICIES: dict[AssigningPolicy, Policy] = {
    AssigningPolicy.BALANCED: fill_evenly,
    AssigningPolicy.BLOCKWISE: fill_blocks,
    AssigningPolicy.RANDOM: fill_by_chance,
}
