"""Rehearsal of a study as a background job: scripted annotators answer without a browser.

They use the same actions as people, but not the pages, which `rehearse_study` tests over HTTP. Each
person is stored whole in one short transaction; texts are read and answers drawn before it.
"""

import random
import time
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from surveys.errors import NoPlaceLeft
from surveys.jobs.perform import Progress
from surveys.models import (
    Assignment,
    AssignmentState,
    Context,
    Invitation,
    Pair,
    Place,
    Questionnaire,
    Response,
    Run,
    Study,
)
from surveys.models.study import Writes
from surveys.monitoring.checklist import forget_steps
from surveys.participation.assignments import lock_places, start_assignment, submit_assignment
from surveys.participation.policies import choose_place
from surveys.recruitment.links import invite_scripted_annotators
from surveys.rehearsal.finished.collection import (
    ANSWER_FIELDS,
    BETWEEN_PAGES,
    INTRODUCTION,
    Answer,
    date_introduction,
    fill_in,
    store_rows,
)
from surveys.rehearsal.finished.people import FASTEST, SLOWEST, draw_seconds
from surveys.rehearsal.vocabulary import draw_poor_words, list_vocabulary, list_words
from surveys.results.run_jobs import makes_run, store_part

if TYPE_CHECKING:
    from surveys.rehearsal.rating_source import ModelledRatings

CARELESSNESS = 1 / 6  # chance that a person is careless
COPIED = 0.9  # share of another person's ratings that are copied
PAUSE = 3  # times as long as storing a person took, for other writers


class Manner(StrEnum):
    """The way in which a scripted person answers."""

    CAREFUL = "careful"
    CONSTANT = "constant"  # the same rating everywhere
    RANDOM = "random"  # ratings by chance
    HASTY = "hasty"  # every other rating by chance, in a third of the time
    COPYING = "copying"  # most ratings are those of another person


HASTE = {Manner.CONSTANT: 4, Manner.HASTY: 3, Manner.COPYING: 2}


class OtherTexts(Exception):
    """The person was given other texts than those that were read before."""


class ScriptedPerson:
    """A scripted annotator, the same each time for a seed."""

    def __init__(
        self,
        seed: str,
        ratings: "ModelledRatings",
        vocabulary: list[str],
        writes: str = Writes.ASSOCIATIONS,
    ) -> None:
        from surveys.rehearsal.rating_source import Person

        self.person, self.ratings, self.vocabulary = Person.drawn(seed), ratings, vocabulary
        self.writes = writes
        chance, (_, *careless) = self.person.rng, Manner
        is_careless = chance.random() < CARELESSNESS
        self.manner = chance.choice(careless) if is_careless else Manner.CAREFUL
        self.pace = chance.uniform(FASTEST, SLOWEST)
        self.favourite = chance.choice(ratings.scale)  # the rating of a constant person
        self.poor_words = draw_poor_words(chance)
        self.seed = chance.getrandbits(32)  # of the questionnaire and the order of its texts

    def answer(self, context: Context, copied: Mapping[int, Decimal]) -> Answer:
        """Return the answer to an item; `copied` are another person's ratings by context."""
        words = ("", "") if self.writes == Writes.NOTHING else self._inspire(context)
        rating = None if self.writes == Writes.TRANSLATIONS else self._rate(context, copied)
        haste = HASTE.get(self.manner, 1)
        return Answer(words, rating, draw_seconds(self.person.rng, context, self.pace, haste))

    def _inspire(self, context: Context) -> tuple[str, str]:
        """Return two words: from other texts, or poor words and words of this text if careless."""
        chance, shown = self.person.rng, list_words(context.texts)
        if self.manner != Manner.CAREFUL:
            copied = chance.sample(shown, min(2, len(shown)))
            first, second = chance.sample(self.poor_words + copied, 2)
        else:
            in_text = set(shown)
            elsewhere = [word for word in self.vocabulary if word not in in_text]
            first, second = chance.sample(elsewhere if len(elsewhere) > 1 else ["one", "two"], 2)
        return first, second

    def _rate(self, context: Context, copied: Mapping[int, Decimal]) -> Decimal:
        """Return a rating of a context; checkpoint items are answered correctly."""
        chance = self.person.rng
        if context.pair.is_checkpoint:
            return context.checkpoint.lowest
        if self.manner == Manner.CONSTANT:
            return self.favourite
        if self.manner == Manner.RANDOM or (self.manner == Manner.HASTY and chance.random() < 0.5):
            return chance.choice(self.ratings.scale)
        if self.manner == Manner.COPYING and context.pk in copied and chance.random() < COPIED:
            return copied[context.pk]
        return self.ratings.rate(context, self.person)


@makes_run
def rehearse(run: Run, progress: Progress) -> dict[str, Any]:
    """Let the scripted annotators that a run requests answer, one after another.

    A retry continues where the run was interrupted. Ends early if all places are taken meanwhile.
    """
    from surveys.rehearsal.rating_source import ModelledRatings

    study, n_wanted = run.study, run.request["count"]
    vocabulary = list_vocabulary(study)
    ratings = ModelledRatings(study.scale_points, run.pk)
    report = run.report or {"n_done": 0}
    while report["n_done"] < n_wanted:
        progress("answering", report["n_done"], n_wanted)
        number = report["n_done"] + 1
        person = ScriptedPerson(f"{run.pk} {number}", ratings, vocabulary, study.writes)
        try:
            answers = draw_answers(study, person)
            began = time.monotonic()
            with transaction.atomic():
                take_part(study, person, answers)
                store_part(run, {"n_done": number})
        except OtherTexts:
            continue
        except NoPlaceLeft:
            break
        report = {"n_done": number}
        forget_steps(study)  # pages say at once that there are scripted answers
        time.sleep(PAUSE * (time.monotonic() - began))
    return {"report": report}


def draw_answers(study: Study, person: ScriptedPerson) -> dict[int, Answer]:
    """Return answers by context, to the questionnaire that a person would get now.

    Answers to all checkpoint items are among them. Raises NoPlaceLeft.
    """
    with transaction.atomic():
        study = lock_places(study.pk)  # frees lapsed places
    chance = random.Random(person.seed)  # noqa: S311  # nosec B311 # (to be repeated)
    choice = choose_place(study, Place.objects.free(study), chance)
    if choice is None:
        raise NoPlaceLeft("All places are taken.")
    questionnaire = choice.place.questionnaire
    contexts = Context.objects.filter(
        Q(item__questionnaire=questionnaire) | Q(pair__in=Pair.objects.checkpoints(study))
    ).select_related("pair", "checkpoint")
    copied = _read_ratings_of_another(questionnaire)
    return {context.pk: person.answer(context, copied) for context in contexts.order_by("pk")}


def take_part(study: Study, person: ScriptedPerson, answers: Mapping[int, Answer]) -> Assignment:
    """Store a scripted annotator with a questionnaire; the last answer is given just now.

    Raises NoPlaceLeft, and OtherTexts if an answer is missing.
    """
    (invitation,) = invite_scripted_annotators(study, 1)
    assignment = start_assignment(invitation, seed=person.seed)
    responses = list(assignment.responses.order_by("position"))
    if not {response.context_id for response in responses} <= answers.keys():
        raise OtherTexts
    seconds = sum(sum(answers[response.context_id].seconds) for response in responses)
    n_pages = study.kind.n_pages * len(responses)
    at = begun_at = timezone.now() - timedelta(seconds=seconds) - n_pages * BETWEEN_PAGES
    for response in responses:
        at = fill_in(response, answers[response.context_id], at) + BETWEEN_PAGES
    store_rows(Response.objects, responses, ANSWER_FIELDS)
    assignment.state = AssignmentState.STARTED
    date_introduction(assignment, begun_at - INTRODUCTION)
    assignment.annotator.checked_at = begun_at if study.n_check_tries else None
    assignment.annotator.save()
    assignment.save()
    submit_assignment(assignment)
    Assignment.objects.filter(pk=assignment.pk).update(submitted_at=at - BETWEEN_PAGES)
    Invitation.objects.filter(pk=invitation.pk).update(created_at=assignment.offered_at)
    return assignment


def _read_ratings_of_another(questionnaire: Questionnaire) -> dict[int, Decimal]:
    """Return the ratings of the last scripted annotator of a questionnaire, by context."""
    others = Assignment.objects.submitted().scripted().filter(questionnaire=questionnaire)
    answers = Response.objects.filter(assignment=others.order_by("-pk").values("pk")[:1])
    rated = answers.values_list("context", "rating")
    return {context: rating for context, rating in rated if rating is not None}
