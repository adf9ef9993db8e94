"""Correction of the last rating, until the next text is answered.

The first answer is kept, and only the new one counts. A correction is one conditional
update: it changes nothing once page 1 of the next text is answered or the assignment has ended.
"""

from decimal import Decimal

from django.db import connection
from django.utils import timezone

from surveys.models import Response
from surveys.participation.answers import Written, check_answer, resume_if_expired
from surveys.participation.due_item import TAKES_ANSWERS, AssignmentProgress

_CORRECT = f"""
UPDATE surveys_response SET
    first_rating = CASE WHEN changed_at IS NULL THEN rating ELSE first_rating END,
    rating = %s, is_unjudgeable = %s, comment = %s, scale_layout = %s, changed_at = %s,
    written1 = CASE WHEN writes = 'associations' THEN written1 ELSE %s END,
    written2 = CASE WHEN writes = 'associations' THEN written2 ELSE %s END
WHERE assignment_id = %s AND position = %s AND rated_at IS NOT NULL AND NOT is_erased
AND {TAKES_ANSWERS} AND NOT EXISTS (
    SELECT 1 FROM surveys_response later
    WHERE later.assignment_id = surveys_response.assignment_id
    AND later.position = surveys_response.position + 1 AND later.engaged_at IS NOT NULL
)
"""  # noqa: S608  # nosec B608  # (no text of a request)


def find_last_answer(where: AssignmentProgress, position: int) -> Response | None:
    """Return the response at this position if its rating can still be changed, else None."""
    due = where.due if where.takes_answers else None
    if due is None or not due.has_last or due.position != position + 1:
        return None
    responses = Response.objects.filter(assignment=where.assignment_id, position=position)
    return responses.select_related("context", "pair").get()


def change_rating(
    where: AssignmentProgress,
    position: int,
    rating: Decimal | None,
    comment: str = "",
    layout: str = "",
    *,
    written: Written | None = None,
) -> bool:
    """Change the last answer to a rating, or None for "I cannot judge this"; keep the first one.

    What is written on the same page changes with it; the earlier words are not kept.

    Returns whether it was changed: it is not if it is the same, or the next text was answered.
    Raises RatingRefused for a rating that the study does not allow.
    """
    check_answer(where, rating, written)
    resume_if_expired(where)
    if rating is not None:
        comment = ""  # it says why the annotator cannot judge
    response = find_last_answer(where, position)
    given = (rating, rating is None and not written, comment)
    if response is None or (
        (response.rating, response.is_unjudgeable, response.comment) == given
        and written in (None, (response.written1, response.written2))
    ):
        return False
    rated = Response._meta.get_field("rating").get_db_prep_save(rating, connection)
    changed_at = Response._meta.get_field("changed_at").get_db_prep_save(timezone.now(), connection)
    values = [rated, *given[1:], layout, changed_at, *(written or ("", ""))]
    with connection.cursor() as cursor:
        cursor.execute(_CORRECT, [*values, where.assignment_id, position])
        return int(cursor.rowcount) == 1
