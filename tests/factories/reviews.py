"""Studies with answers to be judged, made in bulk."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.utils import timezone

from surveys.access.roles import grant_role
from surveys.models import Assignment, AssignmentState, Response, Review, Role, Study
from surveys.recruitment.links import invite_annotators
from surveys.review.queue import file_answers
from tests.factories.studies import make_study, start


def submit(study: Study, words: Sequence[tuple[str, str]] = (), **more: object) -> Assignment:
    """A new annotator's finished assignment, with these words, ratings that vary and no haste."""
    assignment = start(study, invite_annotators(study, 1)[0])
    now = timezone.now()
    for number, response in enumerate(assignment.responses.order_by("position")):
        own = (f"sea{assignment.pk}n{number}", f"salt{assignment.pk}n{number}")
        first, second = words[number] if number < len(words) else own
        found = {
            "written1": first,
            "written2": second,
            "engaged_at": now,
            "words_visible_seconds": 60.0,
            "rating": Decimal(number * number % 23 % 7),
            "rated_at": now + timedelta(seconds=1),
            **more,
        }
        Response.objects.filter(pk=response.pk).update(**found)
    Assignment.objects.filter(pk=assignment.pk).update(
        state=AssignmentState.SUBMITTED, submitted_at=now
    )
    assignment.refresh_from_db()
    return assignment


def reviewed_study(n_pairs: int = 2, n_assignments: int = 1, **design: object) -> Study:
    """A study in a language of which nothing is known, so that no word is doubted, all filed."""
    wanted = {"language": "tlh", "ratings_per_context": 10, **design}
    study = make_study(n_pairs, **wanted)
    for _ in range(n_assignments):
        submit(study)
    file_answers(study)
    return study


def reviewer(study: Study, name: str = "rea", role: Role = Role.REVIEWER) -> User:
    user = User.objects.create_user(name)
    grant_role(study, user, role)
    return user


def answers(study: Study) -> list[Review]:
    return list(Review.objects.answers(study).by_risk().with_answers())


def whole(study: Study) -> Review:
    """The review of the first whole assignment."""
    return Review.objects.assignments(study).with_answers().order_by("pk")[0]
