"""A study → its steps, and what each still lacks."""

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from surveys.models import (
    Assignment,
    Entrance,
    Invitation,
    Pair,
    Place,
    Release,
    Review,
    ReviewState,
    Run,
    RunKind,
    RunState,
    Study,
)
from surveys.review.queue import count_unfiled


class Step(NamedTuple):
    """A step on the way of a study: its name, whether it is done, and what to do next if not."""

    name: str
    is_done: bool
    missing: str


def outline_study(study: Study) -> list[Step]:
    """The steps of a study in their order; a constant number of queries."""
    return list(_steps(study))


def _steps(study: Study) -> Iterator[Step]:
    has = _look_for(study)
    yield Step("stimuli", has["pairs"], "Upload a file with the texts and their words.")
    opening = "Look at scale, numbers and texts; then open the study, so that people can come."
    yield Step("design", not study.is_draft, opening)
    is_recruiting = has["invitations"] or has["entrances"]
    yield Step("recruitment", is_recruiting, "Make links for annotators, or open one for many.")
    places = Place.objects.filter(questionnaire__block__study=study, is_open=True)
    counted = Assignment.objects.counted().filter(questionnaire__block__study=study)
    n_missing = max(0, places.count() - counted.count())
    noun = "assignment is" if n_missing == 1 else "assignments are"
    yield Step("collection", has["pairs"] and not n_missing, f"{n_missing:,} {noun} still to come.")
    yield _review(study, has_reviews=has["reviews"])
    yield Step("results", has["results"], "No recipe was run yet.")
    yield Step("release", has["releases"], "Nothing is released yet.")


def _look_for(study: Study) -> dict[str, bool]:
    """Which of the things that steps are about there are, in one query."""
    rows = {
        "pairs": Pair.objects.filter(is_checkpoint=False),
        "invitations": Invitation.objects.filter(revoked_at=None),
        "entrances": Entrance.objects.filter(closed_at=None),
        "reviews": Review.objects.all(),
        "results": Run.objects.filter(kind=RunKind.RESULTS, state=RunState.DONE),
        "releases": Release.objects.all(),
    }
    there = (Exists(found.filter(study=OuterRef("pk"))) for found in rows.values())
    return dict(zip(rows, Study.objects.values_list(*there).get(pk=study.pk), strict=True))


def _review(study: Study, *, has_reviews: bool) -> Step:
    waiting = Review.objects.answers(study).filter(
        state__in=(ReviewState.OPEN, ReviewState.DISPUTED)
    )
    n_unfiled, n_waiting = count_unfiled(study), waiting.count()
    if not n_unfiled and not has_reviews:
        return Step("review", False, "Nothing is submitted yet.")
    if n_unfiled:
        noun = "questionnaire has" if n_unfiled == 1 else "questionnaires have"
        return Step("review", False, f"{n_unfiled:,} {noun} come in that nobody has looked at.")
    noun = "answer is" if n_waiting == 1 else "answers are"
    return Step("review", n_waiting == 0, f"{n_waiting:,} {noun} still to be judged.")
