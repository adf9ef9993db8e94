"""A study → its steps, and what each still lacks."""

from collections.abc import Iterator
from typing import NamedTuple

from surveys.filing import count_unfiled
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


class Step(NamedTuple):
    """A step on the way of a study: its name, whether it is done, and what to do next if not."""

    name: str
    is_done: bool
    missing: str


def outline_study(study: Study) -> list[Step]:
    """The steps of a study in their order; a constant number of queries."""
    return list(_steps(study))


def _steps(study: Study) -> Iterator[Step]:
    has_pairs = Pair.objects.filter(study=study, is_checkpoint=False).exists()
    yield Step("stimuli", has_pairs, "Upload a file with the texts and their words.")
    opening = "Look at scale, numbers and texts; then open the study, so that people can come."
    yield Step("design", not study.is_draft, opening)
    is_recruiting = (
        Invitation.objects.filter(study=study, revoked_at=None).exists()
        or Entrance.objects.filter(study=study, closed_at=None).exists()
    )
    yield Step("recruitment", is_recruiting, "Make links for annotators, or open one for many.")
    places = Place.objects.filter(questionnaire__block__study=study, is_open=True)
    counted = Assignment.objects.counted().filter(questionnaire__block__study=study)
    n_missing = max(0, places.count() - counted.count())
    noun = "assignment is" if n_missing == 1 else "assignments are"
    yield Step("collection", has_pairs and not n_missing, f"{n_missing:,} {noun} still to come.")
    yield _review(study)
    has_results = Run.objects.filter(
        study=study, kind=RunKind.RESULTS, state=RunState.DONE
    ).exists()
    yield Step("results", has_results, "No recipe was run yet.")
    is_released = Release.objects.filter(study=study).exists()
    yield Step("release", is_released, "Nothing is released yet.")


def _review(study: Study) -> Step:
    waiting = Review.objects.answers(study).filter(
        state__in=(ReviewState.OPEN, ReviewState.DISPUTED)
    )
    n_unfiled, n_waiting = count_unfiled(study), waiting.count()
    is_begun = n_unfiled > 0 or Review.objects.filter(study=study).exists()
    if not is_begun:
        return Step("review", False, "Nothing is submitted yet.")
    if n_unfiled:
        noun = "questionnaire has" if n_unfiled == 1 else "questionnaires have"
        return Step("review", False, f"{n_unfiled:,} {noun} come in that nobody has looked at.")
    noun = "answer is" if n_waiting == 1 else "answers are"
    return Step("review", n_waiting == 0, f"{n_waiting:,} {noun} still to be judged.")
