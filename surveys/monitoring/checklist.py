"""The steps of a study, what is missing in each, and what a researcher does next."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef

from surveys.features import load_objects
from surveys.models import (
    Entrance,
    Invitation,
    Job,
    Pair,
    Release,
    Review,
    ReviewState,
    Run,
    Study,
)
from surveys.monitoring.links_needed import count_links_by_state, count_links_needed
from surveys.monitoring.progress import Tally, count_study_progress
from surveys.results.run_jobs import close_run
from surveys.review.queue import count_unfiled

STEPS_KEPT = 15  # seconds for which pages show the same steps, unless the study is changed


class Step(NamedTuple):
    """A step of a study: its name, whether it is complete, and what to do next if not.

    `progress` is in numbers, empty if there are none; `waits` says whether a researcher
    has something to do, rather than annotators; `is_rehearsed` whether scripted annotators took
    part.
    """

    name: str
    is_done: bool
    missing: str
    progress: str = ""
    waits: bool = True
    is_rehearsed: bool = False


class NextStep(NamedTuple):
    """What a researcher does next: the name of the page, the label of its button, the reason."""

    page: str
    label: str
    reason: str


# The page and the button of each step, in the order in which they are asked for: answers are
# reviewed while others are still being collected.
NEXT_PAGES = {
    "contexts": ("contexts", "Go to the contexts"),
    "stimuli": ("stimuli", "Upload texts"),
    "design": ("opening", "Check and open the study"),
    "review": ("review", "Review answers"),
    "recruitment": ("recruitment", "Invite annotators"),
    "collection": ("collection", "Look at the collection"),
    "results": ("results", "Calculate results"),
    "release": ("release", "Create a release"),
}


def outline_study(study: Study, tally: Tally | None = None) -> list[Step]:
    """Return the steps of a study in order; a constant number of queries.

    `tally` is the study's progress, if it is known.
    """
    has = _find_existing(study)
    opening = "Check scale, numbers and texts; then open the study to annotators."
    recruiting = "Create personal links, or open a link for many annotators."
    tally = tally or count_study_progress(study)
    is_collected = has["pairs"] and (not tally.missing or study.is_closed)
    is_recruiting = has["entrances"] or is_collected
    if has["invitations"] and not is_recruiting:
        n_needed = count_links_needed(study, count_links_by_state(study)).n_needed
        is_recruiting = not n_needed
        recruiting = f"{n_needed:,} more {'link is' if n_needed == 1 else 'links are'} needed."
    noun = "assignment is" if tally.missing == 1 else "assignments are"
    steps = [
        *filter(
            None, (find(study, has_stimuli=has["pairs"]) for find in load_objects("first_step"))
        ),
        Step("stimuli", has["pairs"], "Upload a file with the texts and their target words."),
        Step("design", not study.is_draft, opening),
        Step("recruitment", is_recruiting, recruiting),
        Step(
            "collection",
            is_collected,
            f"{tally.missing:,} {noun} still to come.",
            f"{tally.wanted - tally.missing:,} of {tally.wanted:,}",
            is_rehearsed=has["scripted"],
        ),
        _review(study, has_reviews=has["reviews"]),
    ]
    if not study.collects_translations:
        steps += [
            Step("results", has["results"], "No recipe has been run yet."),
            Step("release", has["releases"], "Nothing is released yet."),
        ]
    cache.set(_key(study), steps, STEPS_KEPT)
    return steps


def recall_steps(study: Study) -> list[Step]:
    """Return the steps of a study as they were some seconds ago at most."""
    steps: list[Step] | None = cache.get(_key(study))
    return outline_study(study) if steps is None else steps


def has_step(study: Study, name: str) -> bool:
    """Return whether a study has a step; cached for some seconds."""
    return any(step.name == name for step in recall_steps(study))


def is_collecting(study: Study) -> bool:
    """Return whether a study is open with assignments still to come; cached for some seconds."""
    if study.is_draft or study.is_closed:
        return False
    return any(step.name == "collection" and not step.is_done for step in recall_steps(study))


def forget_steps(study: Study) -> None:
    """Have the steps of a study counted again, after something was done in it."""
    cache.delete(_key(study))


def end_run(job: Job) -> None:
    """Log and announce the end of a run's job, and have the steps of its study counted again."""
    close_run(job)
    transaction.on_commit(partial(forget_steps, job.run.study))


def end_filing(job: Job) -> None:
    """Have the steps of a study counted again once its new answers are filed."""
    if job.study:
        transaction.on_commit(partial(forget_steps, job.study))


def find_next_step(steps: Sequence[Step]) -> NextStep | None:
    """Return a researcher's next step, or None if all steps are done."""
    by_name = {step.name: step for step in steps}
    for name, (page, label) in NEXT_PAGES.items():
        step = by_name.get(name)  # not every study begins with contexts
        if step and not step.is_done and step.waits:
            return NextStep(page, label, step.missing)
    return None


def find_missing_review(study: Study) -> str:
    """Return what is still to be reviewed, as a sentence; nothing if nothing waits."""
    review = next(step for step in recall_steps(study) if step.name == "review")
    return "" if review.is_done or not review.waits else review.missing


def _key(study: Study) -> str:
    return f"steps-{study.pk}-{study.revision}"


def _find_existing(study: Study) -> dict[str, bool]:
    """Return whether the study has pairs, links, reviews, results and the like; one query."""
    rows = {
        "pairs": Pair.objects.filter(is_checkpoint=False),
        "invitations": Invitation.objects.filter(revoked_at=None),
        "scripted": Invitation.objects.filter(is_rehearsal=True, annotator__isnull=False),
        "entrances": Entrance.objects.filter(closed_at=None),
        "reviews": Review.objects.all(),
        "results": Run.objects.results().done(),
        "releases": Release.objects.without_differences(),
    }
    exists = (Exists(queryset.filter(study=OuterRef("pk"))) for queryset in rows.values())
    return dict(zip(rows, Study.objects.values_list(*exists).get(pk=study.pk), strict=True))


def _review(study: Study, *, has_reviews: bool) -> Step:
    waiting = Review.objects.answers(study).filter(
        state__in=(ReviewState.OPEN, ReviewState.DISPUTED)
    )
    n_unfiled, n_waiting = count_unfiled(study), waiting.count()
    if not n_unfiled and not has_reviews:
        return Step("review", False, "Nothing is submitted yet.", waits=False)
    if n_unfiled:
        noun = "questionnaire is" if n_unfiled == 1 else "questionnaires are"
        return Step("review", False, f"{n_unfiled:,} {noun} not in the review queue yet.")
    noun = "answer is" if n_waiting == 1 else "answers are"
    missing = f"{n_waiting:,} {noun} still to be judged."
    return Step("review", n_waiting == 0, missing, f"{n_waiting:,} open" if n_waiting else "")
