"""The whole survey as an annotator walks through it, of which nothing is stored.

The pages are those of annotators: their templates, their forms. Where one is stands in the
address alone, so that nothing need be remembered; what is sent is checked and forgotten.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from surveys.access.roles import Right
from surveys.models import Context, Questionnaire, Study, TextKind
from surveys.participation.assignments import count_items
from surveys.study.consent_notice import Facts, Way, make_notice
from surveys.study.texts import interface_of, read_check, read_practice, read_text
from surveys.web.console.access import study_page
from surveys.web.rendering.forms import CheckForm
from surveys.web.rendering.item_pages import (
    RATING_PAGE,
    WORDS_PAGE,
    describe_text,
    make_engagement_form,
    make_rating_form,
)
from surveys.web.rendering.markdown import render_markdown
from surveys.web.rendering.study_page import preview_face, render_text

HTTP_UNPROCESSABLE = 422
NO_LINK = "preview"  # stands where annotators have their token
N_TEXTS = 2  # of the first questionnaire
NAMES = {
    "preview": "Welcome",
    "preview_instructions": "Instructions",
    "preview_practice": "Practice",
    "preview_check": "Check",
}


class PreviewPage(NamedTuple):
    """A page of the preview in the list of them."""

    name: str
    address: str
    is_here: bool


def preview_page(view: Callable[..., HttpResponse]) -> Callable[..., Any]:
    """A page of the preview, for all who work with the study.

    Exempt from the CSRF check, as annotators' forms have no token: nothing is changed by any.
    """

    @wraps(view)
    def page(request: HttpRequest, study: Study, **found: Any) -> HttpResponse:
        translation.activate(interface_of(study))
        return view(request, study, **found)

    guarded = study_page(Right.READ)(page)
    return csrf_exempt(require_http_methods(["GET", "POST"])(guarded))


@preview_page
def welcome(request: HttpRequest, study: Study) -> HttpResponse:
    """What awaits annotators, and what they agree to."""
    if request.POST.get("answer") == "decline":
        return show(request, study, "annotate/declined.html", {"is_sent": False})
    if request.method == "POST":
        return go(study, "preview_instructions")
    face = preview_face(study)
    n_items = count_items(study)
    page = {
        "consent": "",
        "consent_text": render_text(study, read_text(study, TextKind.CONSENT)),
        "notice": make_notice(study, Facts.of(study, Way.LINK)),
        "has_place": True,
        "n_items": n_items,
        "minutes": face.times.first_minutes(n_items),
    }
    return show(request, study, "annotate/welcome.html", page)


@preview_page
def instructions(request: HttpRequest, study: Study) -> HttpResponse:
    """How to judge."""
    if request.method == "POST":
        return go_on(study, "preview_instructions")
    return show(request, study, "annotate/instructions.html", {})


@preview_page
def practice_words(request: HttpRequest, study: Study) -> HttpResponse:
    """Page 1 of the practice item."""
    form = make_engagement_form(preview_face(study), sent_by(request))
    if form.is_valid():
        return go(study, "preview_practice_rating")
    return show_practice(request, study, WORDS_PAGE.template, form)


@preview_page
def practice_rating(request: HttpRequest, study: Study) -> HttpResponse:
    """Page 2 of the practice item."""
    form = make_rating_form(preview_face(study), sent_by(request))
    if form.is_valid():
        return go(study, "preview_practice_answer")
    return show_practice(request, study, RATING_PAGE.template, form)


@preview_page
def practice_answer(request: HttpRequest, study: Study) -> HttpResponse:
    """What a good answer looks like."""
    if request.method == "POST":
        return go_on(study, "preview_practice")
    return show_practice(request, study, "annotate/practice_answer.html", None)


@preview_page
def check(request: HttpRequest, study: Study) -> HttpResponse:
    """The questions on the instructions; here as many tries as one likes."""
    questions = read_check(read_text(study, TextKind.CHECK).body)
    if not questions:
        raise Http404
    sent = sent_by(request)
    form = CheckForm(
        {**sent.dict(), "text": 0, "n_tries": 0} if sent is not None else None, questions=questions
    )
    if form.is_valid():
        given = zip(form.given_answers, questions, strict=True)
        wrong = [n for n, (answer, question) in enumerate(given) if answer != question.right]
        if not wrong:
            return redirect(first_text(study))
        form.refuse(wrong)
    page = {"form": form, "n_tries": 0, "n_tries_left": max(1, study.n_check_tries)}
    return show(request, study, "annotate/check.html", page)


@preview_page
def words(request: HttpRequest, study: Study, context_id: int) -> HttpResponse:
    """Page 1 of a text, which knows nothing of its targets."""
    form = make_engagement_form(preview_face(study), sent_by(request))
    if form.is_valid():
        return go(study, "preview_rating", context_id)
    return show_text(request, study, WORDS_PAGE.template, context_id, form)


@preview_page
def rating(request: HttpRequest, study: Study, context_id: int) -> HttpResponse:
    """Page 2 of a text."""
    form = make_rating_form(preview_face(study), sent_by(request))
    if form.is_valid():
        walk = list_walk(study)
        behind = walk[walk.index(context_id) + 1 :] if context_id in walk else []
        return go(study, "preview_words", behind[0]) if behind else go(study, "preview_thanks")
    return show_text(request, study, RATING_PAGE.template, context_id, form)


@preview_page
def thanks(request: HttpRequest, study: Study) -> HttpResponse:
    """The end."""
    if request.method == "POST":
        return redirect(first_text(study))
    page = {"study": study, "can_have_another": study.allows_more_blocks}
    return show(request, study, "annotate/thanks.html", page)


def show(request: HttpRequest, study: Study, template: str, page: dict[str, Any]) -> HttpResponse:
    """A page of annotators, marked as a preview; 422 for a form that is given back."""
    here = request.path
    pages = [one._replace(is_here=one.address == here) for one in list_pages(study)]
    leave = reverse("console:overview", args=[study.slug])
    context = {
        "face": preview_face(study),
        "token": NO_LINK,
        "preview": {"pages": pages, "exit": leave},
        **page,
    }
    form = page.get("form")
    status = HTTP_UNPROCESSABLE if form is not None and form.errors else 200
    return render(request, template, context, status=status)


def show_text(
    request: HttpRequest, study: Study, template: str, context_id: int, form: Form
) -> HttpResponse:
    """Either page of a text of the stimuli."""
    stimuli = Context.objects.stimuli(study).select_related("pair")
    context = get_object_or_404(stimuli, pk=context_id)
    is_second = template == RATING_PAGE.template
    walk = list_walk(study)
    position = walk.index(context_id) + 1 if context_id in walk else 1
    n_items = count_items(study)
    n_done = 2 * (position - 1) + is_second
    progress = {
        "position": position,
        "n_items": n_items,
        "n_pages": 2 * n_items,
        "n_pages_done": n_done,
        "minutes_left": preview_face(study).count_minutes(2 * n_items - n_done),
    }
    page = {
        **describe_text(context, study, is_marked=is_second),
        "form": form,
        "progress": render_to_string("annotate/_progress.html", progress),
    }
    return show(request, study, template, page)


def show_practice(
    request: HttpRequest, study: Study, template: str, form: Form | None
) -> HttpResponse:
    """A page of the practice item; not found where there is none."""
    item = read_practice(read_text(study, TextKind.PRACTICE).body)
    if item is None:
        raise Http404
    page = {
        **describe_text(item, study, is_marked=template != WORDS_PAGE.template),
        "form": form,
        "item": item,
        "is_practice": True,
        "explanation": render_markdown(item.explanation),
    }
    return show(request, study, template, page)


def list_pages(study: Study) -> list[PreviewPage]:
    """The pages that the survey has, each with its address."""
    names = dict(NAMES)
    if not read_text(study, TextKind.PRACTICE).body:
        del names["preview_practice"]
    if not (study.n_check_tries and read_text(study, TextKind.CHECK).body):
        del names["preview_check"]
    pages = [(name, reverse(f"console:{page}", args=[study.slug])) for page, name in names.items()]
    for number, context_id in enumerate(list_walk(study), 1):
        for page in ("words", "rating"):
            address = reverse(f"console:preview_{page}", args=[study.slug, context_id])
            pages.append((f"Text {number}, page {1 + (page == 'rating')}", address))
    pages.append(("Thanks", reverse("console:preview_thanks", args=[study.slug])))
    return [PreviewPage(name, address, is_here=False) for name, address in pages]


def list_walk(study: Study) -> list[int]:
    """The ids of the contexts that the preview leads through."""
    first = Questionnaire.objects.filter(block__study=study, block__number=1, letter="A")
    items = Context.objects.filter(item__questionnaire__in=first).order_by("item__position")
    return list(items.values_list("pk", flat=True)[:N_TEXTS])


def first_text(study: Study) -> str:
    """Where the texts begin."""
    walk = list_walk(study)
    page, args = ("preview_words", walk[:1]) if walk else ("preview_thanks", [])
    return reverse(f"console:{page}", args=[study.slug, *args])


def go_on(study: Study, page: str) -> HttpResponse:
    """To the page after one of those before the texts."""
    addresses = [page.address for page in list_pages(study)]
    return redirect(addresses[addresses.index(reverse(f"console:{page}", args=[study.slug])) + 1])


def go(study: Study, page: str, *more: int) -> HttpResponse:
    return redirect(f"console:{page}", study.slug, *more)


def sent_by(request: HttpRequest) -> Any:
    """What was sent, or None of a page that is only looked at."""
    return request.POST if request.method == "POST" else None
