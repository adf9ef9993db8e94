"""Who arrives → the questionnaire they answer."""

from django.db import transaction
from django.db.models import Count, F
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


def list_places_left(study: Study) -> dict[int, int]:
    """How many more assignments the study asks for, by the id of the questionnaire."""
    taken = Questionnaire.objects.filter(block__study=study).annotate(n=Count("assignments"))
    return {q: study.ratings_per_context - n for q, n in taken.values_list("pk", "n")}


def count_places_left(study: Study) -> int:
    """How many more assignments the study asks for."""
    return sum(list_places_left(study).values())


@transaction.atomic
def start_assignment(invitation: Invitation) -> Assignment:
    """Give whoever starts from a link the questionnaire that needs them most; once for a link.

    Raises NoPlaceLeft.
    """
    study = Study.objects.select_for_update().get(pk=invitation.study_id)  # one start at a time
    if started := Assignment.objects.started_from(invitation):
        return started
    questionnaire = _choose_questionnaire(study)
    annotator = Annotator.objects.create(study=study)
    Invitation.objects.filter(pk=invitation.pk).update(annotator=annotator)
    assignment = Assignment.objects.create(questionnaire=questionnaire, annotator=annotator)
    items = Item.objects.filter(questionnaire=questionnaire).select_related("context")
    Response.objects.bulk_create(Response.laid_out(assignment, item) for item in items)
    return assignment


def _choose_questionnaire(study: Study) -> Questionnaire:
    """The one with the fewest assignments; of equals the first block's, A before B."""
    questionnaire = (
        Questionnaire.objects.filter(block__study=study)
        .annotate(n_assignments=Count("assignments"))
        .filter(n_assignments__lt=F("block__study__ratings_per_context"))
        .order_by("n_assignments", "block__number", "letter")
        .first()
    )
    if questionnaire is None:
        raise NoPlaceLeft(
            _("This study has as many annotators as it needs. Thank you for wanting to take part.")
        )
    return questionnaire


@transaction.atomic
def submit_assignment(assignment: Assignment) -> Assignment:
    """Close a fully rated assignment, once. Raises RatingsMissing."""
    assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)  # two tabs may submit
    if assignment.state == AssignmentState.SUBMITTED:
        return assignment
    if missing := assignment.responses.unrated().count():
        raise RatingsMissing(f"{missing} of the texts of this questionnaire are not rated yet.")
    assignment.state, assignment.submitted_at = AssignmentState.SUBMITTED, timezone.now()
    assignment.save(update_fields=["state", "submitted_at"])
    return assignment
