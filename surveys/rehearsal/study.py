"""Rehearsal of a study: scripted annotators answer it on a running site over HTTP."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
from django.db import connection

from mturk_simulator.client import open_browser
from surveys.errors import RehearsalFailed
from surveys.models import Invitation, SecondAnswer, Study
from surveys.participation.assignments import list_places_left
from surveys.recruitment.links import invite_scripted_annotators, personal_link
from surveys.rehearsal.annotator import (
    JUDGED,
    Acknowledged,
    Character,
    ScriptedAnnotator,
    ask_database,
)
from surveys.rehearsal.rating_source import Person, RatingSource
from surveys.rehearsal.vocabulary import list_vocabulary

Result = TypeVar("Result")


@dataclass(frozen=True)
class RehearsalSummary:
    """Results of a rehearsal. `last_pages` counts the pages on which the annotators ended."""

    n_annotators: int
    n_judgements: int
    last_pages: Counter[str]
    acknowledged: tuple[Acknowledged, ...]


@dataclass(frozen=True)
class Rehearsal:
    """Settings of a rehearsal: site, ratings, characters."""

    base_url: str
    ratings: RatingSource
    seed: int = 0
    characters: Sequence[Character] = (Character.CAREFUL,)
    n_at_once: int = 1
    is_patient: bool = False
    report: Callable[[str], None] = lambda line: None

    def make_annotator(
        self, number: int, browser: httpx.Client, vocabulary: list[str], invitation: int
    ) -> ScriptedAnnotator:
        """Return the annotator with a number, counted from 1."""
        return ScriptedAnnotator(
            browser,
            Person.drawn(f"{self.seed} {number}"),
            vocabulary,
            self.ratings,
            invitation=invitation,
            character=self.draw_character(number),
            is_patient=self.is_patient,
        )

    def draw_character(self, number: int) -> Character:
        """Return an annotator's character: all are equally frequent, not in step with places."""
        turn, place = divmod(number - 1, len(self.characters))
        chance = random.Random(f"{self.seed} {turn}")  # noqa: S311  # nosec B311 # (to be repeated)
        return chance.sample(self.characters, len(self.characters))[place]

    def run(self, work: Callable[[int], Result], n_annotators: int) -> list[Result]:
        """Do the work of each annotator by number, `n_at_once` in threads; return the results."""
        numbers = range(1, n_annotators + 1)
        if self.n_at_once == 1:
            return [work(number) for number in numbers]

        def work_in_thread(number: int) -> Result:
            try:
                return work(number)
            finally:
                connection.close()  # this thread's own

        with ThreadPoolExecutor(self.n_at_once) as threads:
            return list(threads.map(work_in_thread, numbers))


def rehearse_study(
    study: Study, rehearsal: Rehearsal, *, n_annotators: int | None = None
) -> RehearsalSummary:
    """Let scripted annotators fill a study's open places, or fewer.

    Those with ratings to look at again do that instead. Each has a personal link, and the answers
    stay marked as scripted. Raises RehearsalFailed, before anything starts, for too few places or
    ratings.
    """
    refuse_unready(study, rehearsal.base_url)
    looking = _list_looking(study)
    count = _count_places(study, rehearsal, n_annotators) if not looking else len(looking)
    vocabulary = list_vocabulary(study)

    def work(number: int) -> tuple[str, list[Acknowledged]]:
        invitation = looking[number - 1] if looking else None
        return _work_as(study, rehearsal, number, vocabulary, invitation)

    done = rehearsal.run(work, count)
    answers = tuple(answer for _, answered in done for answer in answered)
    return RehearsalSummary(
        n_annotators=count,
        n_judgements=sum(answer.page in JUDGED for answer in answers),
        last_pages=Counter(page for page, _ in done),
        acknowledged=answers,
    )


def _list_looking(study: Study) -> list[Invitation]:
    """Return the links of scripted annotators who have ratings to look at again."""
    due = SecondAnswer.objects.due().filter(response__annotator__study=study)
    annotators = due.values("response__annotator")
    links = Invitation.objects.filter(is_rehearsal=True, annotator__in=annotators)
    return list(links.order_by("pk"))


def _count_places(study: Study, rehearsal: Rehearsal, n_annotators: int | None) -> int:
    """Return how many annotators start. Raises RehearsalFailed for too few places or ratings."""
    places = list_places_left(study)
    n_places = sum(places.values())
    count = n_places if n_annotators is None else n_annotators
    if not 0 < count <= n_places:
        raise RehearsalFailed(f"Study {study.slug} has {n_places} places left, not {count or 1}.")
    if count == n_places:
        rehearsal.ratings.refuse_too_few(study, places)
    return count


def _work_as(
    study: Study,
    rehearsal: Rehearsal,
    number: int,
    vocabulary: list[str],
    invitation: Invitation | None,
) -> tuple[str, list[Acknowledged]]:
    if invitation is None:
        (invitation,) = ask_database(
            lambda: invite_scripted_annotators(study, 1), is_patient=rehearsal.is_patient
        )
    with open_browser() as browser:
        annotator = rehearsal.make_annotator(number, browser, vocabulary, invitation.pk)
        last_page = annotator.work(personal_link(invitation.token, rehearsal.base_url))
    rehearsal.report(f"annotator {number}, {annotator.character}: {annotator.n_rated} texts")
    return last_page, annotator.acknowledged


def refuse_unready(study: Study, url: str) -> None:
    """Raise RehearsalFailed for a draft study or an invalid URL of the site."""
    if study.is_draft:
        raise RehearsalFailed(f"Study {study} is a draft and takes no annotators. Open it first.")
    try:
        is_valid = urlsplit(url).scheme in {"http", "https"} and bool(urlsplit(url).netloc)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise RehearsalFailed(f"{url!r} is not an address such as http://127.0.0.1:8000.")
