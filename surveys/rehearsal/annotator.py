"""Scripted annotators, who fill in the forms of a running site over HTTP.

Their characters differ as people do: in care, in speed, in reloading pages or giving up.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx
import lxml.html
from django.db import InterfaceError, OperationalError, connection
from django.urls import Resolver404, resolve

from postprocess.designs.kinds import KINDS
from surveys.errors import RehearsalFailed
from surveys.models import Assignment, Context, Response, TextKind
from surveys.models.study import write_point
from surveys.rehearsal.rating_source import Person, RatingSource
from surveys.rehearsal.vocabulary import draw_poor_words, list_words
from surveys.study.exercises import read_check
from surveys.study.texts import current_text

PATIENCE_SECONDS = 30
MAX_PAGES = 10_000  # of one annotator; more only if the site redirects in circles
RETRY_SECONDS = 0.2
PAUSE_SECONDS = 0.1  # of a slow annotator, before sending a page
T = TypeVar("T")
ENDS = {"annotate:thanks", "annotate:ended"}
JUDGED = {"rate", "look", "change_look"}  # pages that a rating was given or kept on


class Character(StrEnum):
    """Behaviour of a scripted annotator."""

    CAREFUL = "careful"
    HASTY = "hasty"
    QUITTING = "quitting"
    RELOADING = "reloading"
    TWO_TABS = "two-tabs"
    SLOW = "slow"


class Acknowledged(NamedTuple):
    """An answer to a page of an item, confirmed by the site."""

    invitation: int
    position: int
    page: str
    answer: str


@dataclass
class ScriptedAnnotator:
    """A scripted annotator with a record of the confirmed answers."""

    browser: httpx.Client
    person: Person
    vocabulary: list[str]
    ratings: RatingSource
    invitation: int
    character: Character = Character.CAREFUL
    is_patient: bool = False
    acknowledged: list[Acknowledged] = field(default_factory=list)
    last_page: lxml.html.HtmlElement | None = None
    contexts: dict[str, dict[int, Context]] = field(default_factory=dict)

    @property
    def n_rated(self) -> int:
        """Return how many texts were rated, or looked at again."""
        return sum(answer.page in JUDGED for answer in self.acknowledged)

    def work(self, link: str) -> str:
        """Work from a link to the end, or until the character gives up; return the last page."""
        answer = self._fetch("GET", link)
        for _ in range(MAX_PAGES):
            self.last_page = page = lxml.html.fromstring(answer.text, base_url=str(answer.url))
            name = _name_page(answer.url.path)
            if name in ENDS or self._gives_up(page):
                return name
            if link_on := self._find_link(page, name):
                answer = self._fetch("GET", urljoin(str(answer.url), link_on))
                continue
            if not page.forms:
                text = " ".join(page.xpath("string(//main)").split())
                raise RehearsalFailed(f"The survey stopped at its page {name}: {text}")
            answer = self._answer(answer, page, name)
        raise RehearsalFailed(f"The survey does not come to an end after {MAX_PAGES} pages.")

    def _answer(
        self, shown: httpx.Response, page: lxml.html.HtmlElement, name: str
    ) -> httpx.Response:
        """Fill in the page's form and send it, twice for some characters."""
        form = page.forms[0]
        answer = self._fill_in(page, form, name)
        address = urljoin(str(shown.url), form.action or "")
        sent = {**dict(form.form_values()), **_button(form)}
        if self.character == Character.SLOW:
            time.sleep(PAUSE_SECONDS)
        if self.character == Character.RELOADING:
            self._fetch("GET", str(shown.url))
        next_page = self._fetch(form.method, address, sent)
        if self.character in {Character.RELOADING, Character.TWO_TABS}:  # send it again
            next_page = self._fetch(form.method, address, sent)
        if answer is not None:
            kwargs = resolve(shown.url.path).kwargs
            position = kwargs["position"] if "position" in kwargs else kwargs["number"]
            page_name = name.removeprefix("annotate:")
            self.acknowledged.append(Acknowledged(self.invitation, position, page_name, answer))
        return next_page

    def _fill_in(
        self, page: lxml.html.HtmlElement, form: lxml.html.FormElement, name: str
    ) -> str | None:
        """Fill in a form; return the answer if it is to be stored: two words, or else a rating."""
        is_item, answer = name in {"annotate:engage", "annotate:rate"}, None
        if "rating" in form.fields:
            answer = form.fields["rating"] = self._rate(page, form) if is_item else _middle(form)
        elif is_item and name == "annotate:rate":
            self._context_shown(page)  # it is translated
        for first, second in (kind.written for kind in KINDS.values()):
            if first in form.fields:
                words = form.fields[first], form.fields[second] = self._inspired_words(page)
                answer = " ".join(words)
        if name == "annotate:check":
            self._answer_check(page, form)
        if name == "annotate:look":
            return "kept"
        return answer if is_item or name == "annotate:change_look" else None

    def _find_link(self, page: lxml.html.HtmlElement, name: str) -> str | None:
        """Return where a second look goes on; about half of its ratings are changed."""
        is_changing = name == "annotate:look" and self.person.rng.random() < 1 / 2
        if name != "annotate:again" and not is_changing:
            return None
        return str(page.xpath("//main//a[contains(@class, 'button')]/@href")[0])

    def _rate(self, page: lxml.html.HtmlElement, form: lxml.html.FormElement) -> str:
        context = self._context_shown(page)
        if self.character == Character.HASTY:
            return _middle(form)
        if context.pair.is_checkpoint:
            return write_point(context.checkpoint.lowest)
        return write_point(self.ratings.rate(context, self.person))

    def _context_shown(self, page: lxml.html.HtmlElement) -> Context:
        """Return the context to rate on a page.

        Raises RehearsalFailed unless the page shows its texts, if it has any, with the targets in
        bold, and names them in the question in the study's form.
        """
        kwargs = resolve(urlsplit(str(page.base_url)).path).kwargs
        if kwargs["token"] not in self.contexts:
            self.contexts[kwargs["token"]] = ask_database(
                lambda: list_contexts(kwargs["token"]), is_patient=self.is_patient
            )
        context = self.contexts[kwargs["token"]][kwargs["position"]]
        study = context.pair.study
        item = context.restored(study.kind)
        pieces = [piece for side in study.kind.sides(item) for piece in side]
        text = "".join(page.xpath("//blockquote//text()[not(parent::*[@class='unseen'])]"))
        targets = [piece for piece, target in pieces if target]
        if (text, page.xpath("//blockquote//strong/text()")) != (
            "".join(piece for piece, _target in pieces), targets,
        ):  # fmt: skip
            raise RehearsalFailed(
                f"The page of {context} does not show its text and its two words."
            )
        named = study.kind.asked(item, study.question_forms)
        if page.xpath("//legend/b/text()") != list(named):
            raise RehearsalFailed(f"The question of {context} does not name {' and '.join(named)}.")
        return context

    def _inspired_words(self, page: lxml.html.HtmlElement) -> list[str]:
        shown = list_words(page.xpath("//blockquote//text()"))
        if self.character == Character.HASTY:
            return self.person.rng.sample(shown + draw_poor_words(self.person.rng), 2)
        elsewhere = [word for word in self.vocabulary if word not in shown]
        return self.person.rng.sample(elsewhere if len(elsewhere) >= 2 else self.vocabulary, 2)

    def _answer_check(self, page: lxml.html.HtmlElement, form: lxml.html.FormElement) -> None:
        token = resolve(urlsplit(str(page.base_url)).path).kwargs["token"]
        body = ask_database(lambda: _check_of(token), is_patient=self.is_patient)
        for number, question in enumerate(read_check(body)):
            is_hasty = self.character == Character.HASTY
            form.fields[f"question{number}"] = str(0 if is_hasty else question.right)

    def _gives_up(self, page: lxml.html.HtmlElement) -> bool:
        if self.character != Character.QUITTING:
            return False
        bars = page.xpath("//progress")
        return bool(bars) and int(bars[0].get("value")) >= int(bars[0].get("max")) / 2

    def _fetch(self, method: str, url: str, data: dict[str, str] | None = None) -> httpx.Response:
        """Return a response of the site; a patient annotator retries until the site answers."""
        give_up_at = time.monotonic() + (PATIENCE_SECONDS if self.is_patient else 0)
        while True:
            try:
                answer = self.browser.request(method, url, data=data)
            except httpx.HTTPError as error:
                if time.monotonic() >= give_up_at:
                    site = urlsplit(url).netloc
                    raise RehearsalFailed(
                        f"No answer from {site} ({error}). Is the site running?"
                    ) from error
            else:
                if not answer.is_server_error or time.monotonic() >= give_up_at:
                    _refuse_error(method, url, answer)
                    return answer
            time.sleep(RETRY_SECONDS)


def list_contexts(token: str) -> dict[int, Context]:
    """Return the contexts of an assignment by position."""
    responses = Response.objects.filter(assignment__token=token)
    related = responses.select_related("context__pair__study", "context__checkpoint")
    return {response.position: response.context for response in related}


def _check_of(token: str) -> str:
    study = Assignment.objects.with_study().get(token=token).study
    return current_text(study, TextKind.CHECK).body


def ask_database(query: Callable[[], T], *, is_patient: bool) -> T:
    """Return the result of a database query; if patient, retry while the database is down."""
    give_up_at = time.monotonic() + (PATIENCE_SECONDS if is_patient else 0)
    while True:
        try:
            return query()
        except (InterfaceError, OperationalError):
            connection.close()
            if time.monotonic() >= give_up_at:
                raise
            time.sleep(RETRY_SECONDS)


def _refuse_error(method: str, url: str, answer: httpx.Response) -> None:
    # 422 is a form with errors, such as a check that was not passed
    if answer.status_code in {httpx.codes.OK, httpx.codes.UNPROCESSABLE_ENTITY}:
        return
    page = lxml.html.fromstring(answer.text or "<p>empty page")
    text = " ".join(page.xpath("string(//body)").split())
    name = _name_page(urlsplit(url).path)
    raise RehearsalFailed(
        f"{method} {name} was answered with {answer.status_code}: {text}\n"
        "Does that site use this database (DATABASE_URL, VAR_DIR)?"
    )


def _button(form: lxml.html.FormElement) -> dict[str, str]:
    """Return the name and value of a form's first named button."""
    buttons = form.xpath(".//button[@name]")
    return {buttons[0].get("name"): buttons[0].get("value")} if buttons else {}


def _middle(form: lxml.html.FormElement) -> str:
    points = form.xpath('.//div[contains(@class, "points")]//input/@value')
    if points:
        return str(points[len(points) // 2])
    (line,) = form.xpath('.//input[@type="range"]')
    low, high, step = (Decimal(line.get(name)) for name in ("min", "max", "step"))
    return write_point(low + (high - low) / step // 2 * step)


def _name_page(path: str) -> str:
    """Return the URL name of a path; the path itself contains the annotator's token."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return "outside the survey"
