"""Who arrives → the questionnaire they answer."""

import random
import secrets
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.errors import NoPlaceLeft, RatingsMissing
from surveys.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Invitation,
    Item,
    Questionnaire,
    Response,
    Study,
)
from surveys.models.collection import AssignmentQuerySet


class Choice(NamedTuple):
    """The questionnaire that whoever arrives is given, and why."""

    questionnaire: Questionnaire
    reason: str


def list_places_left(study: Study) -> dict[int, int]:
    """How many more assignments the study asks for now, by the id of the questionnaire."""
    questionnaires = Questionnaire.objects.filter(block__study=study).values_list("pk", flat=True)
    taken = Counter(_list_questionnaires(Assignment.objects.for_study(study).live()))
    lapsed = Assignment.objects.live().lapsed(study, timezone.now())
    taken.subtract(_list_questionnaires(lapsed))
    return {pk: study.ratings_per_context - taken[pk] for pk in questionnaires}


def count_places_left(study: Study) -> int:
    """How many more assignments the study asks for now."""
    return sum(list_places_left(study).values())


@transaction.atomic
def start_assignment(invitation: Invitation) -> Assignment:
    """Give whoever starts from a link the questionnaire that needs them most; once for a link.

    Raises NoPlaceLeft.
    """
    study = _lock_places(invitation.study_id)
    if started := Assignment.objects.started_from(invitation):
        return started
    questionnaire, reason = _choose_questionnaire(study)
    annotator = Annotator.objects.create(study=study)
    Invitation.objects.filter(pk=invitation.pk).update(annotator=annotator)
    assignment = Assignment.objects.create(
        questionnaire=questionnaire,
        annotator=annotator,
        reason=reason,
        seed=secrets.randbits(32),
    )
    _lay_out_items(assignment)
    return assignment


@transaction.atomic
def resume_assignment(assignment: Assignment) -> Assignment:
    """Take up an expired assignment again: in a place that is free, else over quota."""
    study = _lock_places(assignment.questionnaire.block.study_id)
    assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if assignment.state != AssignmentState.EXPIRED:
        return assignment
    assignment.is_over_quota = list_places_left(study)[assignment.questionnaire_id] < 1
    assignment.state = AssignmentState.STARTED
    assignment.save(update_fields=["state", "is_over_quota"])
    return assignment


def _lock_places(study_id: int) -> Study:
    """Let nobody else give out places of a study until the transaction ends; free lapsed ones."""
    study = Study.objects.select_for_update().get(pk=study_id)
    lapsed = Assignment.objects.lapsed(study, timezone.now()).values("pk")
    Assignment.objects.filter(pk__in=lapsed, state=AssignmentState.STARTED).update(
        state=AssignmentState.EXPIRED
    )
    return study


def _choose_questionnaire(study: Study) -> Choice:
    """The one with the most places left; of equals the first block's, A before B."""
    places = list_places_left(study)
    questionnaires = Questionnaire.objects.filter(block__study=study).select_related("block")
    chosen = max(questionnaires, key=lambda questionnaire: places[questionnaire.pk])
    if places[chosen.pk] < 1:
        raise NoPlaceLeft(
            _("This study has as many annotators as it needs. Thank you for wanting to take part.")
        )
    wanted = study.ratings_per_context
    n_equal = sum(n == places[chosen.pk] for n in places.values())
    taken = wanted - places[chosen.pk]
    return Choice(chosen, f"fewest places taken ({taken} of {wanted}), first of {n_equal} such")


def _lay_out_items(assignment: Assignment) -> None:
    """Lay out the answers of an assignment in an order of its own, which its seed repeats."""
    items = Item.objects.filter(questionnaire=assignment.questionnaire).select_related("context")
    order = random.Random(assignment.seed).sample(list(items), len(items))  # noqa: S311
    Response.objects.bulk_create(
        Response.laid_out(assignment, item, position) for position, item in enumerate(order, 1)
    )


def _list_questionnaires(assignments: AssignmentQuerySet) -> Iterable[int]:
    return assignments.values_list("questionnaire_id", flat=True)


@transaction.atomic
def submit_assignment(assignment: Assignment) -> Assignment:
    """Close a fully rated assignment, once. Raises RatingsMissing."""
    assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)  # two tabs may submit
    if assignment.state == AssignmentState.SUBMITTED:
        return assignment
    if missing := assignment.responses.unrated().count():
        raise RatingsMissing(f"{missing} of the texts of this questionnaire are not rated yet.")
    if assignment.state == AssignmentState.EXPIRED:  # since this page was asked for
        assignment.is_over_quota = True
    assignment.state, assignment.submitted_at = AssignmentState.SUBMITTED, timezone.now()
    assignment.save(update_fields=["state", "submitted_at", "is_over_quota"])
    return assignment
