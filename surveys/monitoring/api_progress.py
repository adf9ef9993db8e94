"""How far the collection of a study is, questionnaire by questionnaire."""

from typing import NamedTuple

from django.db.models import Count, Q

from surveys.models import AssignmentState, Place, Review, Study


class QuestionnaireProgress(NamedTuple):
    """The places of a questionnaire in the current round of its block, and what became of them."""

    block: int
    letter: str
    round: int
    wanted: int
    live: int
    finished: int
    usable: int


def count_progress(study: Study) -> list[QuestionnaireProgress]:
    """How many assignments each questionnaire wants, has under way and has finished; one query.

    Usable are those finished that no reviewer has judged not to be used.
    Assignments that have lapsed count as under way until their place is given to somebody else.
    """
    live = Q(assignment__state__in=AssignmentState.leased())
    finished = Q(assignment__state=AssignmentState.SUBMITTED)
    usable = finished & ~Q(assignment__in=Review.objects.unwanted_wholes())
    places = Place.objects.filter(study=study, round__is_current=True, is_open=True)
    rows = places.order_by("questionnaire__block__number", "questionnaire__letter").values_list(
        "questionnaire__block__number", "questionnaire__letter", "round__number"
    )
    counted = rows.annotate(
        wanted=Count("pk"),
        live=Count("pk", filter=live),
        finished=Count("pk", filter=finished),
        usable=Count("pk", filter=usable),
    )
    return [QuestionnaireProgress(*row) for row in counted]
