"""A study tried before people do: scripted annotators who answer a running site over HTTP."""

import random
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from urllib.parse import urljoin, urlsplit

import httpx
import lxml.html
from django.urls import Resolver404, resolve, reverse

from postprocess.files import read_ratings
from postprocess.ratings import RatingsError, Scale, check_ratings
from surveys.assigning import list_places_left
from surveys.errors import RehearsalFailed
from surveys.models import Context, Response, Study
from surveys.recruiting import invite_scripted_annotators

PATIENCE_SECONDS = 30
MOST_PAGES = 10_000  # of one annotator; more can only be a site that leads in circles


@dataclass(frozen=True)
class Person:
    """A simple model of one: a leaning up or down the scale and a noise, in shares of it."""

    chance: random.Random
    leaning: float
    noise: float

    @classmethod
    def drawn(cls, seed: str) -> "Person":
        chance = random.Random(seed)  # noqa: S311  (to be repeated, not secret)
        return cls(chance, leaning=chance.gauss(0, 0.12), noise=chance.uniform(0.05, 0.2))


class RatingSource(Protocol):
    """Where the scripted annotators' ratings come from."""

    def rate(self, context: Context, person: Person) -> int:
        """One more rating of a context."""

    def refuse_too_few(self, study: Study, places: dict[int, int]) -> None:
        """Raise RehearsalFailed unless the ratings suffice for the places of each questionnaire."""


@dataclass
class PlayedBackRatings:
    """Given ratings, each used once: a served context takes the next unused one of its own."""

    unused: dict[tuple[int, int], deque[int]]

    def rate(self, context: Context, person: Person) -> int:
        pair, number = context.pair.position, context.number
        if not self.unused.get((pair, number)):
            raise RehearsalFailed(f"No rating is left for pair {pair} context {number}.")
        return self.unused[pair, number].popleft()

    def refuse_too_few(self, study: Study, places: dict[int, int]) -> None:
        short = []
        for context in Context.objects.filter(pair__study=study).select_related("pair", "item"):
            pair, number = context.pair.position, context.number
            n_given = len(self.unused.get((pair, number), ()))
            if n_given < (n_wanted := places[context.item.questionnaire_id]):
                short.append(f"pair {pair} context {number} has {n_given} of {n_wanted}")
        if short:
            more = f" and {len(short) - 5} more" if len(short) > 5 else ""
            raise RehearsalFailed(
                f"The ratings file has too few ratings for the places left: "
                f"{'; '.join(short[:5])}{more}. Import the stimuli with fewer ratings per context, "
                "or rehearse with fewer annotators."
            )

    @property
    def n_unused(self) -> int:
        return sum(map(len, self.unused.values()))


@dataclass
class ModelledRatings:
    """People who see the same similarity in a text, each with a mean and noise of their own."""

    scale: range
    seed: int

    def rate(self, context: Context, person: Person) -> int:
        of_text = random.Random(f"{self.seed} {context.text} {context.form1}")  # noqa: S311
        share = of_text.random() + person.leaning + person.chance.gauss(0, person.noise)
        point = round(share * (len(self.scale) - 1))
        return self.scale[min(max(point, 0), len(self.scale) - 1)]

    def refuse_too_few(self, study: Study, places: dict[int, int]) -> None:
        """Nothing to refuse: a model never runs out."""


class RehearsalSummary(NamedTuple):
    """What a rehearsal did."""

    n_annotators: int
    n_judgements: int


def read_played_back(study: Study, data: bytes) -> PlayedBackRatings:
    """The ratings of a ratings file, to play back in its order. Raises RehearsalFailed."""
    scale = Scale(study.scale_minimum, study.scale_maximum)
    try:
        ratings = read_ratings(data, study.language)
        table = check_ratings(ratings, scale, n_pairs=study.pairs.count())
    except RatingsError as error:
        raise RehearsalFailed(str(error)) from error
    unused: dict[tuple[int, int], deque[int]] = defaultdict(deque)
    for pair, context, rating in zip(table["pair"], table["context"], table["rating"], strict=True):
        unused[pair, context].append(int(rating))
    return PlayedBackRatings(dict(unused))


def rehearse_study(
    study: Study,
    base_url: str,
    *,
    ratings: RatingSource,
    n_annotators: int | None = None,
    seed: int = 0,
    tell: Callable[[str], None] = lambda line: None,
) -> RehearsalSummary:
    """Let scripted annotators do a study's open places, or fewer, on the site at `base_url`.

    Each comes by a personal link of its own, and what they answer stays known as scripted.
    Raises RehearsalFailed; nobody starts when there are too few places, or too few ratings for
    all of them.
    """
    _check_address(base_url)
    places = list_places_left(study)
    n_places = sum(places.values())
    count = n_places if n_annotators is None else n_annotators
    if not 0 < count <= n_places:
        raise RehearsalFailed(f"Study {study.slug} has {n_places} places left, not {count or 1}.")
    if count == n_places:
        ratings.refuse_too_few(study, places)
    vocabulary = _list_words(
        Context.objects.filter(pair__study=study).values_list("text", flat=True)
    )
    n_judgements = 0
    for number in range(1, count + 1):
        (invitation,) = invite_scripted_annotators(study, 1)
        person = Person.drawn(f"{seed} {number}")
        link = urljoin(base_url, reverse("annotate:welcome", args=[invitation.token]))
        with httpx.Client(
            follow_redirects=True, timeout=PATIENCE_SECONDS, trust_env=False
        ) as browser:
            n_rated = ScriptedAnnotator(browser, person, vocabulary, ratings).work(link)
        n_judgements += n_rated
        tell(f"annotator {number} of {count}: {n_rated} texts")
    return RehearsalSummary(count, n_judgements)


@dataclass
class ScriptedAnnotator:
    """Reads each page as it comes and fills in whatever form it holds."""

    browser: httpx.Client
    person: Person
    vocabulary: list[str]
    ratings: RatingSource

    def work(self, link: str) -> int:
        """Go from a link to the last page. How many texts were rated."""
        answer = self._fetch("GET", link)
        n_rated = 0
        for _ in range(MOST_PAGES):
            page = lxml.html.fromstring(answer.text, base_url=str(answer.url))
            if not page.forms:
                self._check_end(answer, page)
                return n_rated
            form = page.forms[0]
            n_rated += self._fill_in(page, form)
            address = urljoin(str(answer.url), form.action or "")
            answer = self._fetch(form.method, address, dict(form.form_values()))
        raise RehearsalFailed(f"The survey does not come to an end after {MOST_PAGES} pages.")

    def _fill_in(self, page: lxml.html.HtmlElement, form: lxml.html.FormElement) -> bool:
        """Answer a form. Whether it was a rating."""
        inputs = form.xpath(".//input[@name and not(@type='hidden')]")
        if any(entry.type == "radio" for entry in inputs):
            rating = self.ratings.rate(self._context_shown(page), self.person)
            form.fields[inputs[0].name] = str(rating)
            return True
        for entry, word in zip(inputs, self._inspired_words(page, len(inputs)), strict=True):
            entry.value = word
        return False

    def _context_shown(self, page: lxml.html.HtmlElement) -> Context:
        """What the page asks to rate. It must show that text, with its two words in bold."""
        asked = resolve(urlsplit(str(page.base_url)).path).kwargs
        response = Response.objects.select_related("context__pair").get(
            assignment__token=asked["token"], position=asked["position"]
        )
        context = response.context
        (text,) = page.xpath("//blockquote")
        pieces = [text.text or ""]
        for element in text:
            pieces += [element.text_content(), element.tail or ""]
        if pieces != [piece for piece, _ in context.parts]:
            raise RehearsalFailed(
                f"The page of {context} does not show its text and its two words."
            )
        return context

    def _inspired_words(self, page: lxml.html.HtmlElement, count: int) -> list[str]:
        here = set(_list_words(page.xpath("//blockquote//text()")))
        elsewhere = [word for word in self.vocabulary if word not in here]
        return self.person.chance.sample(
            elsewhere if len(elsewhere) >= count else self.vocabulary, count
        )

    def _check_end(self, answer: httpx.Response, page: lxml.html.HtmlElement) -> None:
        if (name := _name_page(answer.url.path)) != "annotate:thanks":
            said = " ".join(page.xpath("string(//main)").split())
            raise RehearsalFailed(f"The survey stopped at its page {name}: {said}")

    def _fetch(self, method: str, url: str, data: dict[str, str] | None = None) -> httpx.Response:
        try:
            answer = self.browser.request(method, url, data=data)
        except httpx.HTTPError as error:
            site = urlsplit(url).netloc
            raise RehearsalFailed(
                f"No answer from {site} ({error}). Is the site running?"
            ) from error
        if answer.status_code != httpx.codes.OK:
            page = lxml.html.fromstring(answer.text or "<p>empty page")
            said = " ".join(page.xpath("string(//body)").split())
            name = _name_page(urlsplit(url).path)
            raise RehearsalFailed(
                f"{method} {name} was answered with {answer.status_code}: {said}\n"
                "Does that site use this database (DATABASE_URL, VAR_DIR)?"
            )
        return answer


def _check_address(url: str) -> None:
    try:
        is_sound = urlsplit(url).scheme in {"http", "https"} and bool(urlsplit(url).netloc)
    except ValueError:
        is_sound = False
    if not is_sound:
        raise RehearsalFailed(f"{url!r} is no address such as http://127.0.0.1:8000.")


def _name_page(path: str) -> str:
    """The name of the page at an address, which itself holds the annotator's link."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return "outside the survey"


def _list_words(texts: Iterable[str]) -> list[str]:
    """The different words of four letters and more, in alphabetical order."""
    return sorted({word.lower() for text in texts for word in re.findall(r"[^\W\d_]{4,}", text)})
