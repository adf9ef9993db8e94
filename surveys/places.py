"""Rounds → places: laid out, given back, and as many as the study asks for."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Q

from surveys.models import Assignment, Place, Questionnaire, Round, Study


def lay_out_places(study: Study, rounds: Collection[Round]) -> None:
    """Make the places of new rounds.

    Number by number over all questionnaires: the order in which a balanced design fills them.
    """
    by_block = {round_.block_id: round_ for round_ in rounds}
    questionnaires = list(Questionnaire.objects.filter(block__in=by_block))
    Place.objects.bulk_create(
        Place(
            study=study,
            questionnaire=questionnaire,
            round=by_block[questionnaire.block_id],
            number=number,
        )
        for number in range(1, study.ratings_per_context + 1)
        for questionnaire in questionnaires
    )


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
    closed: list[int] = []
    opened: list[int] = []
    made: list[Place] = []
    for places in _list_by_questionnaire(study):
        free = [place for place in places if place.assignment_id is None]
        n_counted = sum(p.is_open or p.assignment_id is not None for p in places)
        n_missing = study.ratings_per_context - n_counted
        closable = [place.pk for place in free if place.is_open]
        openable = [place.pk for place in free if not place.is_open][: max(0, n_missing)]
        closed += closable[n_missing:] if n_missing < 0 else []
        opened += openable
        last = places[-1]
        made += [
            Place(
                study=study,
                questionnaire=last.questionnaire,
                round=last.round,
                number=last.number + n,
            )
            for n in range(1, n_missing - len(openable) + 1)
        ]
    Place.objects.filter(pk__in=closed).update(is_open=False)
    Place.objects.filter(pk__in=opened).update(is_open=True)
    Place.objects.bulk_create(
        sorted(made, key=lambda place: place.number)
    )  # as in `lay_out_places`


def count_left(study: Study, lapsed: Iterable[int]) -> Counter[int]:
    """How many places there are to give, by questionnaire, once lapsed assignments give up theirs.

    As many as are free by then, but no more than the study still wants.
    """
    left: Counter[int] = Counter()
    n_lapsed = Counter(
        Place.objects.filter(assignment__in=lapsed, is_open=True).values_list(
            "questionnaire", flat=True
        )
    )
    left.update(Place.objects.free(study).values_list("questionnaire", flat=True))
    left.update(n_lapsed)
    held = Place.objects.filter(questionnaire__in=n_lapsed, round__is_current=True)
    n_held = Counter(held.exclude(assignment=None).values_list("questionnaire", flat=True))
    wanted = Study.objects.values_list("ratings_per_context", flat=True).get(pk=study.pk)
    for questionnaire, n in n_lapsed.items():
        n_wanted = wanted - (n_held[questionnaire] - n)
        left[questionnaire] = max(0, min(left[questionnaire], n_wanted))
    return left


def _list_by_questionnaire(study: Study) -> Collection[list[Place]]:
    """The places of current rounds, those of one questionnaire in the order of their numbers."""
    places: dict[int, list[Place]] = defaultdict(list)
    current = Place.objects.filter(study=study, round__is_current=True)
    for place in current.select_related("questionnaire", "round").order_by(
        "questionnaire__block__number", "questionnaire__letter", "number"
    ):
        places[place.questionnaire_id].append(place)
    return places.values()


def _is_counted() -> Q:
    return Q(is_open=True) | Q(assignment__isnull=False)
