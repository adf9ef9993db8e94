"""What an annotator sends → the response, filled once.

Both answers are single conditional updates: the first one counts, and a repeated, late or
reordered one changes nothing, whichever tab, process or network sent it. An answer after the
lease has ended takes the assignment up again.
"""

from django.db import transaction
from django.utils import timezone

from surveys.assigning import resume_assignment, submit_assignment
from surveys.errors import RatingRefused
from surveys.models import AssignmentState, Response


def record_engagement(response: Response, inspired_word1: str, inspired_word2: str) -> bool:
    """Store the two inspired words unless words are stored. Say whether these were stored."""
    _resume_if_expired(response)
    return bool(
        Response.objects.filter(pk=response.pk, engaged_at__isnull=True).update(
            inspired_word1=inspired_word1,
            inspired_word2=inspired_word2,
            engaged_at=timezone.now(),
        )
    )


@transaction.atomic
def record_rating(response: Response, rating: int) -> bool:
    """Store the rating of an engaged, unrated response; the last one submits the assignment.

    Say whether it was stored. Raises RatingRefused when it is not on the study's scale.
    """
    if rating not in response.study.scale_points:
        raise RatingRefused(f"{rating} is not on the scale of this study.")
    _resume_if_expired(response)
    stored = bool(
        Response.objects.filter(
            pk=response.pk, engaged_at__isnull=False, rating__isnull=True
        ).update(rating=rating, rated_at=timezone.now())
    )
    if stored and not Response.objects.filter(assignment=response.assignment).unrated().exists():
        submit_assignment(response.assignment)
    return stored


def _resume_if_expired(response: Response) -> None:
    if response.assignment.state == AssignmentState.EXPIRED:
        resume_assignment(response.assignment)
