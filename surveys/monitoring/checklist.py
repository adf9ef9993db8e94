"""The steps of a study, and what is missing in each."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from surveys.models import (
    Entrance,
    Invitation,
    Pair,
    Release,
    Review,
    ReviewState,
    Run,
    RunKind,
    RunState,
    Study,
)
from surveys.monitoring.progress import count_study_progress
from surveys.review.queue import count_unfiled


class Step(NamedTuple):
    """A step of a study: its name, whether it is done, and what to do next if not."""

    name: str
    is_done: bool
    missing: str


def outline_study(study: Study) -> list[Step]:
    """Return the steps of a study in order; a constant number of queries."""
    has = _find_existing(study)
    opening = "Check scale, numbers and texts; then open the study to annotators."
    is_recruiting = has["invitations"] or has["entrances"]
    recruiting = "Create personal links, or open a link for many annotators."
    n_missing = count_study_progress(study).missing
    is_collected = has["pairs"] and not n_missing
    noun = "assignment is" if n_missing == 1 else "assignments are"
    return [
        Step("stimuli", has["pairs"], "Upload a file with the texts and their target words."),
        Step("design", not study.is_draft, opening),
        Step("recruitment", is_recruiting, recruiting),
        Step("collection", is_collected, f"{n_missing:,} {noun} still to come."),
        _review(study, has_reviews=has["reviews"]),
        Step("results", has["results"], "No recipe has been run yet."),
        Step("release", has["releases"], "Nothing is released yet."),
    ]


def _find_existing(study: Study) -> dict[str, bool]:
    """Return whether the study has pairs, links, reviews, results and releases; one query."""
    rows = {
        "pairs": Pair.objects.filter(is_checkpoint=False),
        "invitations": Invitation.objects.filter(revoked_at=None),
        "entrances": Entrance.objects.filter(closed_at=None),
        "reviews": Review.objects.all(),
        "results": Run.objects.filter(kind=RunKind.RESULTS, state=RunState.DONE),
        "releases": Release.objects.all(),
    }
    exists = (Exists(found.filter(study=OuterRef("pk"))) for found in rows.values())
    return dict(zip(rows, Study.objects.values_list(*exists).get(pk=study.pk), strict=True))


def _review(study: Study, *, has_reviews: bool) -> Step:
    waiting = Review.objects.answers(study).filter(
        state__in=(ReviewState.OPEN, ReviewState.DISPUTED)
    )
    n_unfiled, n_waiting = count_unfiled(study), waiting.count()
    if not n_unfiled and not has_reviews:
        return Step("review", False, "Nothing is submitted yet.")
    if n_unfiled:
        noun = "questionnaire is" if n_unfiled == 1 else "questionnaires are"
        return Step("review", False, f"{n_unfiled:,} {noun} not in the review queue yet.")
    noun = "answer is" if n_waiting == 1 else "answers are"
    return Step("review", n_waiting == 0, f"{n_waiting:,} {noun} still to be judged.")
