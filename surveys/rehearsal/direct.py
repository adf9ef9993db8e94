"""Rehearsal of a study as a background job: scripted annotators answer without a browser.

They use the same actions as people, but not the pages, which `rehearse_study` tests over HTTP.
"""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from surveys.errors import NoPlaceLeft, RehearsalFailed
from surveys.models import Annotator, Assignment, Context, Invitation, Response, Run, Study
from surveys.monitoring.checklist import forget_steps
from surveys.participation.answers import PageVisit, record_engagement, record_rating
from surveys.participation.assignments import start_assignment
from surveys.participation.due_item import AssignmentProgress, find_progress
from surveys.participation.introduction import complete_step, list_steps
from surveys.recruitment.links import invite_scripted_annotators
from surveys.rehearsal.vocabulary import list_words
from surveys.results.jobs import Progress
from surveys.results.run_leases import renew_lease

if TYPE_CHECKING:
    from surveys.rehearsal.rating_source import ModelledRatings, Person

ONE_IN = 6  # annotators is careless: copies words, rates everything alike, and is fast
READING_SECONDS_PER_WORD, WRITING_SECONDS, RATING_SECONDS = 0.3, 14.0, 9.0
INTRODUCTION = timedelta(minutes=3)
BETWEEN_PAGES = timedelta(seconds=1)


@dataclass
class ScriptedPerson:
    """A scripted annotator: the source of the ratings, the words to choose from, and the pace."""

    person: "Person"
    ratings: "ModelledRatings"
    vocabulary: list[str]
    is_careless: bool
    pace: float

    @property
    def chance(self) -> random.Random:
        """Return this person's own source of chance."""
        return self.person.rng

    def inspire(self, context: Context) -> tuple[str, str]:
        """Return two words: from the text if careless, otherwise from other texts."""
        shown = list_words([context.text])
        if self.is_careless and len(shown) > 1:
            return shown[0], shown[1]
        elsewhere = [word for word in self.vocabulary if word not in set(shown)]
        first, second = self.chance.sample(elsewhere if len(elsewhere) > 1 else ["one", "two"], 2)
        return first, second

    def rate(self, context: Context) -> Any:
        """Return a rating of a context; checkpoint items are answered correctly."""
        if context.pair.is_checkpoint:
            return context.checkpoint.lowest
        if self.is_careless:
            return self.ratings.scale[len(self.ratings.scale) // 2]
        return self.ratings.rate(context, self.person)

    def take_time(self, context: Context) -> tuple[float, float]:
        """Return the seconds for the two pages of a context."""
        pace = self.pace * self.chance.lognormvariate(0, 0.25) / (4 if self.is_careless else 1)
        reading = READING_SECONDS_PER_WORD * len(context.text.split())
        return round(pace * (reading + WRITING_SECONDS), 1), round(pace * RATING_SECONDS, 1)


def rehearse(run: Run, progress: Progress) -> dict[str, Any]:
    """Let the scripted annotators that a run requests answer, one after another.

    A retry continues where the run was interrupted. Ends early if all places are taken meanwhile.
    """
    from surveys.rehearsal.rating_source import ModelledRatings, Person

    study, n_wanted = run.study, run.wishes["count"]
    texts = Context.objects.stimuli(study).values_list("text", flat=True)
    vocabulary = list_words(texts)
    ratings = ModelledRatings(study.scale_points, run.pk)
    report = run.report or {"n_done": 0}
    while report["n_done"] < n_wanted:
        progress("answering", report["n_done"], n_wanted)
        number = report["n_done"] + 1
        person = Person.drawn(f"{run.pk} {number}")
        pace = person.rng.uniform(0.7, 1.6)
        is_careless = number % ONE_IN == 0
        scripted = ScriptedPerson(person, ratings, vocabulary, is_careless, pace)
        try:
            with transaction.atomic():
                take_part(study, scripted)
                report = {"n_done": number}
                renew_lease(run, report=report)
        except NoPlaceLeft:
            break
        forget_steps(study)  # pages say at once that there are scripted answers
    return {"report": report}


def take_part(study: Study, person: ScriptedPerson) -> Assignment:
    """Let one scripted annotator do a questionnaire; the last answer is stored as given just now.

    Raises NoPlaceLeft.
    """
    (invitation,) = invite_scripted_annotators(study, 1)
    assignment = start_assignment(invitation)
    for step in list_steps(study):
        complete_step(assignment, step)
    waiting = assignment.responses.select_related("context__pair", "context__checkpoint")
    timed = [(r, person.take_time(r.context)) for r in waiting.order_by("position")]
    pauses = 2 * len(timed) * BETWEEN_PAGES
    begun_at = timezone.now() - pauses - timedelta(seconds=sum(sum(both) for _, both in timed))
    at = begun_at
    for response, (words, rating) in timed:
        at = _answer(assignment, response, person, at, (words, rating))
    _store_times(assignment, invitation, [response for response, _ in timed], begun_at)
    return assignment


def _answer(
    assignment: Assignment,
    response: Response,
    person: ScriptedPerson,
    at: datetime,
    seconds: tuple[float, float],
) -> datetime:
    """Answer both pages of a text that is shown at an instant; return when the next one is."""
    words, rating = seconds
    context = response.context
    visit = PageVisit(at, words)
    record_engagement(_find(assignment), *person.inspire(context), visit=visit)
    response.engaged_at = at + timedelta(seconds=words)
    shown_at = response.engaged_at + BETWEEN_PAGES
    record_rating(_find(assignment), person.rate(context), visit=PageVisit(shown_at, rating))
    response.rated_at = shown_at + timedelta(seconds=rating)
    return response.rated_at + BETWEEN_PAGES


def _store_times(
    assignment: Assignment, invitation: Invitation, responses: list[Response], begun_at: datetime
) -> None:
    """Replace the times of storing by those at which a person would have answered."""
    came_at, ended_at = begun_at - INTRODUCTION, responses[-1].rated_at
    Response.objects.bulk_update(responses, ["engaged_at", "rated_at"], batch_size=100)
    Assignment.objects.filter(pk=assignment.pk).update(
        offered_at=came_at, started_at=begun_at, active_at=begun_at, submitted_at=ended_at
    )
    annotator = Annotator.objects.filter(pk=assignment.annotator_id)
    annotator.update(created_at=came_at, instructed_at=came_at, practised_at=begun_at)
    Invitation.objects.filter(pk=invitation.pk).update(created_at=came_at)


def _find(assignment: Assignment) -> AssignmentProgress:
    found = find_progress(assignment.token)
    if found is None:
        raise RehearsalFailed(f"{assignment} is gone.")
    return found
