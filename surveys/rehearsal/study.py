"""Rehearsal of a study: scripted annotators answer it on a running site over HTTP."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db import connection

from surveys.errors import RehearsalFailed
from surveys.models import Context, Study
from surveys.participation.assignments import list_places_left
from surveys.recruitment.links import invite_scripted_annotators, personal_link
from surveys.rehearsal.annotator import (
    Acknowledged,
    Character,
    ScriptedAnnotator,
    ask_database,
    list_words,
)
from surveys.rehearsal.mturk_site import open_browser
from surveys.rehearsal.rating_source import Person, RatingSource


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


def rehearse_study(
    study: Study, rehearsal: Rehearsal, *, n_annotators: int | None = None
) -> RehearsalSummary:
    """Let scripted annotators fill a study's open places, or fewer.

    Each has a personal link, and the answers stay marked as scripted. The characters are used in
    turn. Raises RehearsalFailed, before anything starts, for too few places or ratings.
    """
    refuse_unready(study, rehearsal.base_url)
    places = list_places_left(study)
    n_places = sum(places.values())
    count = n_places if n_annotators is None else n_annotators
    if not 0 < count <= n_places:
        raise RehearsalFailed(f"Study {study.slug} has {n_places} places left, not {count or 1}.")
    if count == n_places:
        rehearsal.ratings.refuse_too_few(study, places)
    vocabulary = list_words(Context.objects.stimuli(study).values_list("text", flat=True))

    def work(number: int) -> tuple[str, list[Acknowledged]]:
        return _work_as(study, rehearsal, number, vocabulary)

    numbers = range(1, count + 1)
    if rehearsal.n_at_once == 1:
        done = [work(number) for number in numbers]
    else:
        with ThreadPoolExecutor(rehearsal.n_at_once) as threads:
            done = list(threads.map(work, numbers))
    answers = tuple(answer for _, answered in done for answer in answered)
    return RehearsalSummary(
        n_annotators=count,
        n_judgements=sum(answer.page == "rate" for answer in answers),
        last_pages=Counter(page for page, _ in done),
        acknowledged=answers,
    )


def _work_as(
    study: Study, rehearsal: Rehearsal, number: int, vocabulary: list[str]
) -> tuple[str, list[Acknowledged]]:
    (invitation,) = ask_database(
        lambda: invite_scripted_annotators(study, 1), is_patient=rehearsal.is_patient
    )
    character = rehearsal.characters[(number - 1) % len(rehearsal.characters)]
    try:
        with open_browser() as browser:
            annotator = ScriptedAnnotator(
                browser,
                Person.drawn(f"{rehearsal.seed} {number}"),
                vocabulary,
                rehearsal.ratings,
                invitation=invitation.pk,
                character=character,
                is_patient=rehearsal.is_patient,
            )
            last_page = annotator.work(personal_link(invitation.token, rehearsal.base_url))
    finally:
        if rehearsal.n_at_once > 1:
            connection.close()  # this thread's own
    rehearsal.report(f"annotator {number}, {character}: {annotator.n_rated} texts")
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
