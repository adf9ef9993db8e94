"""Rounds → places: laid out, given back, and as many as the study asks for."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Q

from surveys.models import Assignment, Place, Questionnaire, Round, Study


def lay_out_places(study: Study, rounds: Collection[Round]) -> None:
    """Make the places of new rounds."""
    _make_places(rounds, study, range(1, study.ratings_per_context + 1))


def give_back_places(assignments: Iterable[Assignment | int]) -> None:
    """Free the places of assignments; those of which there are enough without them are closed.

    There can be: the study may ask for fewer ratings than when the places were taken.
    """
    for place in Place.objects.filter(assignment__in=assignments).select_related("study"):
        others = Place.objects.filter(questionnaire=place.questionnaire_id, round=place.round_id)
        n_others = others.exclude(pk=place.pk).filter(_is_counted()).count()
        is_wanted = place.is_open and n_others < place.study.ratings_per_context
        Place.objects.filter(pk=place.pk).update(assignment=None, is_open=is_wanted)


def fit_places(study: Study) -> None:
    """Make or close places in the current rounds until they are as many as ratings are wanted.

    Places that are held stay, so there may be more of them than that.
    """
    wanted = study.ratings_per_context
    closed: list[int] = []
    opened: list[int] = []
    highest = 0
    for places in _list_by_questionnaire(study):
        free = [place for place in places if place.assignment_id is None]
        n_missing = wanted - sum(p.is_open or p.assignment_id is not None for p in places)
        closable = [place.pk for place in free if place.is_open]
        openable = [place.pk for place in free if not place.is_open]
        closed += closable[n_missing:] if n_missing < 0 else []
        opened += openable[: max(0, n_missing)]
        highest = max(place.number for place in places)
    Place.objects.filter(pk__in=closed).update(is_open=False)
    Place.objects.filter(pk__in=opened).update(is_open=True)
    current = list(Round.objects.filter(block__study=study, is_current=True))
    _make_places(current, study, range(highest + 1, wanted + 1))


def _list_by_questionnaire(study: Study) -> Collection[list[Place]]:
    """The places of current rounds, those of one questionnaire in the order of their numbers."""
    places: dict[int, list[Place]] = defaultdict(list)
    for place in Place.objects.filter(study=study, round__is_current=True).order_by("number"):
        places[place.questionnaire_id].append(place)
    return places.values()


def _is_counted() -> Q:
    return Q(is_open=True) | Q(assignment__isnull=False)


def _make_places(rounds: Collection[Round], study: Study, numbers: Iterable[int]) -> None:
    """Number by number over all questionnaires: the order in which a balanced design fills them."""
    by_block = {round_.block_id: round_ for round_ in rounds}
    questionnaires = list(Questionnaire.objects.filter(block__in=by_block))
    Place.objects.bulk_create(
        Place(
            study=study,
            questionnaire=questionnaire,
            round=by_block[questionnaire.block_id],
            number=number,
        )
        for number in numbers
        for questionnaire in questionnaires
    )
