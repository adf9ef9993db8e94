"""Replacements for questionnaires that the review has set aside."""

from django.db import transaction
from django.db.models import QuerySet

from surveys.access.audit_log import record
from surveys.models import AssignmentState, Place, Review, Study
from surveys.study.blocks.quota import resize_places


def find_replaceable(study: Study) -> QuerySet[Place]:
    """Return the places of assignments that are set aside as a whole and not replaced yet.

    Only current rounds count: a repeated block collects all its questionnaires again.
    """
    return Place.objects.filter(
        study=study,
        round__is_current=True,
        is_replaced=False,
        assignment__state=AssignmentState.SUBMITTED,
        assignment__in=Review.objects.unwanted_wholes(),
    )


@transaction.atomic
def request_replacements(study: Study) -> int:
    """Open one more place for each assignment that is set aside; return how many; idempotent.

    The answers that were set aside stay stored and keep their places. If a verdict is taken back
    later, the questionnaire has one more assignment than wanted.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    replaceable = list(find_replaceable(study).values_list("pk", flat=True))
    if replaceable:
        Place.objects.filter(pk__in=replaceable).update(is_replaced=True)
        resize_places(study)
        record("study.replacements", study, places=len(replaceable))
    return len(replaceable)
