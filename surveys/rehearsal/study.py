"""A study tried before people do: scripted annotators who answer a running site over HTTP."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
from django.db import connection

from surveys.errors import RehearsalFailed
from surveys.models import Context, Study
from surveys.participation.assignments import list_places_left
from surveys.recruitment.links import invite_scripted_annotators, personal_link
from surveys.rehearsal.annotator import (
    PATIENCE_SECONDS,
    Acknowledged,
    Character,
    ScriptedAnnotator,
    ask_database,
    list_words,
)
from surveys.rehearsal.rating_source import Person, RatingSource


@dataclass(frozen=True)
class RehearsalSummary:
    """What a rehearsal did. `last_pages` counts on which page the annotators ended."""

    n_annotators: int
    n_judgements: int
    last_pages: Counter[str]
    acknowledged: tuple[Acknowledged, ...]


@dataclass(frozen=True)
class Rehearsal:
    """How a study is rehearsed: on which site, by whom, and with which ratings."""

    base_url: str
    ratings: RatingSource
    seed: int = 0
    characters: Sequence[Character] = (Character.CAREFUL,)
    n_at_once: int = 1
    is_patient: bool = False
    tell: Callable[[str], None] = lambda line: None


def rehearse_study(
    study: Study, rehearsal: Rehearsal, *, n_annotators: int | None = None
) -> RehearsalSummary:
    """Let scripted annotators do a study's open places, or fewer.

    Each comes by a personal link of its own, and what they answer stays known as scripted. They
    take the characters in turn. Raises RehearsalFailed; nobody starts when there are too few
    places, or too few ratings for all of them.
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
        return _let_work(study, rehearsal, number, vocabulary)

    numbers = range(1, count + 1)
    if rehearsal.n_at_once == 1:
        done = [work(number) for number in numbers]
    else:
        with ThreadPoolExecutor(rehearsal.n_at_once) as people:
            done = list(people.map(work, numbers))
    answers = tuple(answer for _, answered in done for answer in answered)
    return RehearsalSummary(
        n_annotators=count,
        n_judgements=sum(answer.page == "rate" for answer in answers),
        last_pages=Counter(page for page, _ in done),
        acknowledged=answers,
    )


def _let_work(
    study: Study, rehearsal: Rehearsal, number: int, vocabulary: list[str]
) -> tuple[str, list[Acknowledged]]:
    (invitation,) = ask_database(
        lambda: invite_scripted_annotators(study, 1), is_patient=rehearsal.is_patient
    )
    character = rehearsal.characters[(number - 1) % len(rehearsal.characters)]
    try:
        with _open_browser() as browser:
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
    rehearsal.tell(f"annotator {number}, {character}: {annotator.n_rated} texts")
    return last_page, annotator.acknowledged


def _open_browser() -> httpx.Client:
    return httpx.Client(follow_redirects=True, timeout=PATIENCE_SECONDS, trust_env=False)


def refuse_unready(study: Study, url: str) -> None:
    """Raise RehearsalFailed for a draft, or for what is no address of a site."""
    if study.is_draft:
        raise RehearsalFailed(f"Study {study} is a draft: nobody can take part. Open it first.")
    try:
        is_sound = urlsplit(url).scheme in {"http", "https"} and bool(urlsplit(url).netloc)
    except ValueError:
        is_sound = False
    if not is_sound:
        raise RehearsalFailed(f"{url!r} is no address such as http://127.0.0.1:8000.")
