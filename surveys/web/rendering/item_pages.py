"""The two pages of an item, rendered once per revision of a study.

A template is rendered with a mark in place of each value that depends on the annotator or the text.
A page is then a join of strings instead of a rendering, which would take most of its time
(`docs/performance.md`). Forms with errors are rendered whole.
"""

import re
import secrets
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from html import escape as escape_plain
from typing import Any, NamedTuple

from django.forms import Form
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from postprocess.designs.kinds import Item, Side
from surveys.models import Response, Study
from surveys.models.study import Question, write_point
from surveys.participation.due_item import AssignmentProgress, DueItem
from surveys.study.languages import write_digits
from surveys.study.rules import CACHE_SIZE
from surveys.study.stimuli.sentences import find_sentences
from surveys.web.rendering.item_forms import EngagementForm, RatingForm, repeat_visit
from surveys.web.rendering.study_page import StudyDisplay, display_of

MAX_PROGRESS = 10_000
NAMES = ("text1", "text2", "asked1", "asked2", "score", "progress", "token", "shown")
_SECRET = secrets.token_hex(8)  # so that no text can hold a mark
_MARK = re.compile(f"hole-{_SECRET}-([a-z0-9]+)-")
_INDENT = re.compile(r"\n\s+")  # a sixth of a page


class ItemPage(NamedTuple):
    """One of the two pages of an item: its template and its form."""

    template: str
    make_form: Callable[[StudyDisplay, QueryDict | None], Form]


def make_engagement_form(face: StudyDisplay, sent: QueryDict | None) -> EngagementForm:
    """Return the form of page 1."""
    return EngagementForm(sent, direction=face.text_direction)


def make_rating_form(
    face: StudyDisplay,
    sent: QueryDict | None,
    chosen: Mapping[str, str] | None = None,
    *,
    is_again: bool = False,
) -> RatingForm:
    """Return the form of page 2 with the study's scale, and what it holds at first.

    In a second look it asks for nothing but the rating.
    """
    second = face.text_language2, face.text_direction2
    first = (face.text_language, face.text_direction) if face.asks_rating else second
    return RatingForm(
        sent,
        initial=chosen,
        points=[point.value for point in face.scale] if face.asks_rating else [],
        allows_unjudgeable=face.study.allows_unjudgeable,
        shows_digits=face.shows_digits,
        written_in=(first, second) if face.asks_words and not is_again else (),
    )


WORDS_PAGE = ItemPage("annotate/engage.html", make_engagement_form)
RATING_PAGE = ItemPage("annotate/rate.html", make_rating_form)


def describe_item(
    item: Item[Any], study: Study, *, is_marked: bool, score: str = ""
) -> dict[str, SafeString]:
    """Return the template values of an item's texts: bare, or with their targets in bold.

    Marked texts come with the one or two words that the question names, and with the score of the
    pair if translators see one. Screen readers say nothing of bold: they read a number before each
    target, and its sentences next to the question.
    """
    if not is_marked:
        return {f"text{n}": escape(text.text) for n, text in enumerate(item.texts, 1)}
    sides = enumerate(study.kind.sides(item), 1)
    named = study.kind.asked(item, study.question_forms)
    shown = study.question == Question.TRANSLATION and score
    said = _("Score: %(score)s") % {"score": write_digits(score)} if shown else ""
    return {
        **{f"text{n}": _mark(side, n) for n, side in sides},
        **{f"asked{n}": escape(word) for n, word in enumerate(named, 1)},
        "score": format_html('<p class="hint">{}</p>', said) if said else SafeString(""),
    }


def _mark(side: Side, number: int) -> SafeString:
    """Return a text with its targets in bold, and their sentences in an element."""
    pieces = [piece for piece, _target in side]
    before, after = pieces[0], pieces[-1]
    text = "".join(pieces)
    begin, end = find_sentences(text, len(before), len(text) - len(after))
    end -= len(text) - len(after)  # counted in the last piece
    marked, announced, language = "", 0, get_language()
    for piece, target in side[1:-1]:
        if target > announced:
            marked += _announce(language, target)
            announced = target
        marked += f"<strong>{escape_plain(piece)}</strong>" if target else escape_plain(piece)
    html = (
        f'{escape_plain(before[:begin])}<span id="marked{"" if number == 1 else number}">'
        f"{escape_plain(before[begin:])}{marked}{escape_plain(after[:end])}</span>"
        f"{escape_plain(after[end:])}"
    )
    return SafeString(html)  # nosec B703 # (escaped above, faster than by `format_html`)


@lru_cache
def _announce(language: str, number: int) -> SafeString:
    """Return what a screen reader says before a target, in the active language."""
    label = _("marked word %(number)s:") % {"number": write_digits(number)}
    return format_html('<span class="unseen" lang="{}">{} </span>', language, label)


def render_progress(
    face: StudyDisplay, position: int, n_items: int, n_pages_done: int, *, has_last: bool = False
) -> SafeString:
    """Render the progress bar in the active language, which is the study interface's.

    With `has_last` it links to the page that changes the last answer.
    """
    kind = face.study.kind
    pages = kind.n_pages * n_items, n_pages_done
    return _render_progress(face.interface, position, n_items, kind.n_texts, *pages, has_last)


@lru_cache(maxsize=MAX_PROGRESS)
def _render_progress(
    interface: str,
    position: int,
    n_items: int,
    n_texts: int,
    n_pages: int,
    n_pages_done: int,
    has_last: bool,
) -> SafeString:
    page = {
        "position": position,
        "n_items": n_items,
        "n_pages_done": n_pages_done,
        "n_pages": n_pages,
        "last": position - 1 if has_last else 0,
        "n_texts": n_texts,
    }
    return render_to_string("annotate/_progress.html", page)


def describe_correction(
    face: StudyDisplay, last: Response, position: int, n_items: int, n_pages_done: int
) -> dict[str, Any]:
    """Return the template values of a page that changes a rating."""
    return {
        **describe_item(
            last.context.restored(face.study.kind),
            face.study,
            is_marked=True,
            score=last.pair.details.get("score", ""),
        ),
        "face": face,
        "progress": render_progress(face, position, n_items, n_pages_done),
        "rated": None if last.rating is None else face.name_point(write_point(last.rating)),
    }


def render_item(
    page: ItemPage, where: AssignmentProgress, item: DueItem, token: str, refused: Form | None
) -> str:
    """Return an item page as HTML, with the errors of a refused form if there is one."""
    face = display_of(where.study_id, where.revision)
    score = ""
    if not face.asks_rating:
        details = Response.objects.values_list("pair__details", flat=True)
        score = details.get(pk=item.response_id).get("score", "")
    values = {
        **describe_item(item.item, face.study, is_marked=page is RATING_PAGE, score=score),
        "progress": render_progress(
            face, item.position, where.n_items, where.n_pages_done, has_last=item.has_last
        ),
        "token": escape(token),
        "shown": str(time.time_ns() // 1_000_000),
    }
    if refused:
        given_back = {"form": refused, "face": face, **values, **repeat_visit(refused.data)}
        return render_to_string(page.template, given_back)
    n_asked = 2 if "asked2" in values else 1
    pieces = list(_make_shell(page, where.study_id, where.revision, n_asked))
    pieces[1::2] = [values[name] for name in pieces[1::2]]
    return "".join(pieces)


@lru_cache(maxsize=2 * CACHE_SIZE)
def _make_shell(page: ItemPage, study_id: int, revision: str, n_asked: int) -> tuple[str, ...]:
    """Return the HTML between the marks and the names of the marks, alternating."""
    face = display_of(study_id, revision)
    marks = {  # of letters, digits and hyphens alone
        name: SafeString(f"hole-{_SECRET}-{name}-")  # nosec B703
        for name in NAMES
        if name != "asked2" or n_asked == 2
    }
    context = {"form": page.make_form(face, None), "face": face, **marks}
    html: str = render_to_string(page.template, context)
    if "<pre" not in html:  # in instructions
        html = _INDENT.sub("\n", html)
    return tuple(_MARK.split(html))
