"""A preview of the whole survey with the annotators' templates and forms; nothing is stored.

The URL alone holds the position in the survey, so no state is kept; answers are only validated.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt

from surveys.access.roles import Right
from surveys.models import Context, Provider, Questionnaire, Study, TextKind
from surveys.participation.assignments import count_items
from surveys.participation.further_blocks import FurtherBlock
from surveys.participation.introduction import Step, list_steps
from surveys.recruitment.consent_notice import Facts, make_notice
from surveys.recruitment.providers import PLAIN_LINK, rules_of
from surveys.study.exercises import PracticeItem, read_check, read_practice
from surveys.study.texts import interface_of, read_text, read_texts
from surveys.web.console.access import study_page
from surveys.web.forms import posted, status_of
from surveys.web.rendering.item_forms import CheckForm
from surveys.web.rendering.item_pages import (
    RATING_PAGE,
    WORDS_PAGE,
    ItemPage,
    describe_item,
    render_progress,
)
from surveys.web.rendering.practice import (
    describe_practice,
    describe_sample,
    find_item_number,
    write_query,
)
from surveys.web.rendering.steps import CONSENT, show_steps
from surveys.web.rendering.study_page import preview_display, render_text

PLACEHOLDER = "preview"  # in place of an annotator's token
N_TEXTS = 2  # of the first questionnaire
NAMES = {
    "preview": "Welcome",
    "preview_instructions": "Instructions",
    "preview_practice": "Practice",
    "preview_check": "Check",
}


class PreviewPage(NamedTuple):
    """A page of the preview in its list of pages."""

    name: str
    url: str


def preview_page(view: Callable[..., HttpResponse]) -> Callable[..., Any]:
    """Decorate a page of the preview, which all members and visitors of the study may see.

    Exempt from the CSRF check, since annotators' forms have no token; no page changes anything.
    """

    @wraps(view)
    def page(request: HttpRequest, study: Study, **arguments: Any) -> HttpResponse:
        translation.activate(interface_of(study))
        return view(request, study, **arguments)

    return csrf_exempt(study_page(Right.READ, also=Right.LOOK, is_harmless=True)(page))


@preview_page
def welcome(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the welcome page with the consent text."""
    if request.POST.get("answer") == "decline":
        return show(request, study, "annotate/declined.html", {})
    if request.method == "POST":
        return redirect_to_next(study, "preview")
    face = preview_display(study)
    n_items = count_items(study)
    texts = read_texts(study)
    page = {
        **describe_sample(study, texts[TextKind.PRACTICE]),
        "steps": show_steps(study, list_steps(study, texts), CONSENT),
        "consent": "",
        "consent_text": render_text(study, texts[TextKind.CONSENT]),
        "notice": make_notice(Facts.of(study, PLAIN_LINK)),
        "has_place": True,
        "n_items": n_items,
        "minutes": face.times.first_minutes(n_items),
        "pay": study.pay,
        "how_paid": rules_of(Provider.LINK).pay,
    }
    return show(request, study, "annotate/welcome.html", page)


@preview_page
def instructions(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the instructions."""
    if request.method == "POST":
        return redirect_to_next(study, "preview_instructions")
    steps = show_steps(study, list_steps(study, read_texts(study)), Step.INSTRUCTIONS)
    return show(request, study, "annotate/instructions.html", {"steps": steps})


def practice_page(page: ItemPage, then: str) -> Callable[..., Any]:
    """Return the view of a page of the practice item."""

    @preview_page
    def practice(request: HttpRequest, study: Study) -> HttpResponse:
        if page is WORDS_PAGE and study.kind.n_pages == 1:
            query = write_query(find_item_number(request, read_items(study)))
            return redirect(reverse(f"console:{then}", args=[study.slug]) + query)
        form = page.make_form(preview_display(study), posted(request))
        if form.is_valid():
            number = find_item_number(request, read_items(study))
            chosen = {"chosen": form.cleaned_data["rating"]} if page is RATING_PAGE else {}
            return redirect(
                reverse(f"console:{then}", args=[study.slug]) + write_query(number, **chosen)
            )
        return show_practice(request, study, page.template, form)

    return practice


practice_words = practice_page(WORDS_PAGE, "preview_practice_rating")
practice_rating = practice_page(RATING_PAGE, "preview_practice_answer")


@preview_page
def practice_answer(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the explanation of the practice item."""
    if request.method != "POST":
        return show_practice(request, study, "annotate/practice_answer.html", None)
    items = read_items(study)
    if (number := find_item_number(request, items)) < len(items):
        url = reverse("console:preview_practice", args=[study.slug])
        return redirect(url + write_query(number + 1))
    return redirect_to_next(study, "preview_practice")


def read_items(study: Study) -> tuple[PracticeItem, ...]:
    """Return the practice items of a study."""
    return read_practice(read_text(study, TextKind.PRACTICE).body, study.item_rules)


@preview_page
def check(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the comprehension check, with unlimited tries."""
    questions = read_check(read_text(study, TextKind.CHECK).body)
    if not questions:
        raise Http404
    sent = posted(request)
    form = CheckForm(
        {**sent.dict(), "text": 0, "n_tries": 0} if sent is not None else None, questions=questions
    )
    if form.is_valid():
        given = zip(form.given_answers, questions, strict=True)
        wrong = [n for n, (answer, question) in enumerate(given) if answer != question.right]
        if not wrong:
            return redirect(first_text(study))
        form.refuse(wrong)
    page = {
        "form": form,
        "first_fault": form.first_fault,
        "steps": show_steps(study, list_steps(study, read_texts(study)), Step.CHECK),
        "n_tries": 0,
        "n_tries_left": max(1, study.n_check_tries),
        "pay": study.pay,
        "how_paid": rules_of(Provider.LINK).pay,
    }
    return show(request, study, "annotate/check.html", page)


@preview_page
def words(request: HttpRequest, study: Study, context_id: int) -> HttpResponse:
    """Show page 1 of a text, without its targets."""
    form = WORDS_PAGE.make_form(preview_display(study), posted(request))
    if form.is_valid():
        return redirect("console:preview_rating", study.slug, context_id)
    return show_text(request, study, WORDS_PAGE, context_id, form)


@preview_page
def rating(request: HttpRequest, study: Study, context_id: int) -> HttpResponse:
    """Show page 2 of a text."""
    form = RATING_PAGE.make_form(preview_display(study), posted(request))
    if form.is_valid():
        return redirect_to_next(study, "preview_rating", context_id)
    return show_text(request, study, RATING_PAGE, context_id, form)


@preview_page
def thanks(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the last page."""
    if request.method == "POST":
        return redirect(first_text(study))
    page = {
        "study": study,
        "n_items": count_items(study),
        "more": FurtherBlock.of(study) if study.allows_more_blocks else None,
        "how_more_is_paid": rules_of(Provider.LINK).pay_for_more,
        "pay": study.pay,
        "how_paid": rules_of(Provider.LINK).pay,
    }
    return show(request, study, "annotate/thanks.html", page)


def show(request: HttpRequest, study: Study, template: str, page: dict[str, Any]) -> HttpResponse:
    """Render an annotators' page with the preview banner; 422 for an invalid form."""
    leave = reverse("console:overview", args=[study.slug])
    context = {
        "face": preview_display(study),
        "token": PLACEHOLDER,
        "preview": {"pages": list_pages(study), "exit": leave},
        **page,
    }
    form = page.get("form")
    return render(request, template, context, status=status_of(*([form] if form else [])))


def show_text(
    request: HttpRequest, study: Study, page: ItemPage, context_id: int, form: Form
) -> HttpResponse:
    """Render either page of a text of the stimuli."""
    stimuli = Context.objects.stimuli(study).select_related("pair")
    context = get_object_or_404(stimuli, pk=context_id)
    is_second = page is RATING_PAGE
    walk = list_walk(study)
    position = walk.index(context_id) + 1 if context_id in walk else 1
    n_pages = study.kind.n_pages
    n_done = n_pages * (position - 1) + (is_second and n_pages - 1)
    shown = {
        **describe_item(
            context.restored(study.kind),
            study,
            is_marked=is_second,
            score=context.pair.details.get("score", ""),
        ),
        "form": form,
        "progress": render_progress(preview_display(study), position, count_items(study), n_done),
    }
    return show(request, study, page.template, shown)


def show_practice(
    request: HttpRequest, study: Study, template: str, form: Form | None
) -> HttpResponse:
    """Render a page of a practice item; 404 if the study has none."""
    items, face = read_items(study), preview_display(study)
    if not items:
        raise Http404
    item = items[find_item_number(request, items) - 1]
    page = {
        **describe_practice(face, study, item, template, request),
        "form": form,
        "steps": show_steps(study, list_steps(study, read_texts(study)), Step.PRACTICE),
    }
    return show(request, study, template, page)


def list_pages(study: Study) -> list[PreviewPage]:
    """Return the pages of the survey with their URLs."""
    names = dict(NAMES)
    if not read_text(study, TextKind.PRACTICE).body:
        del names["preview_practice"]
    if not (study.n_check_tries and read_text(study, TextKind.CHECK).body):
        del names["preview_check"]
    pages = [(name, reverse(f"console:{page}", args=[study.slug])) for page, name in names.items()]
    item_pages = ("words", "rating")[-study.kind.n_pages :]
    for number, context_id in enumerate(list_walk(study), 1):
        for n, page in enumerate(item_pages, 1):
            url = reverse(f"console:preview_{page}", args=[study.slug, context_id])
            of_item = f"Text {number}, page {n}" if len(item_pages) > 1 else f"Pair {number}"
            pages.append((of_item, url))
    pages.append(("Thanks", reverse("console:preview_thanks", args=[study.slug])))
    return [PreviewPage(*page) for page in pages]


def list_walk(study: Study) -> list[int]:
    """Return the ids of the contexts in the preview."""
    first = Questionnaire.objects.filter(block__study=study, block__number=1, letter="A")
    items = Context.objects.filter(item__questionnaire__in=first).order_by("item__position")
    return list(items.values_list("pk", flat=True)[:N_TEXTS])


def first_text(study: Study) -> str:
    """Return the URL of the first text, or of the last page if there are no texts."""
    walk = list_walk(study)
    page = "rating" if study.kind.n_pages == 1 else "words"
    return reverse(f"console:preview_{page if walk else 'thanks'}", args=[study.slug, *walk[:1]])


def redirect_to_next(study: Study, page: str, *more: int) -> HttpResponse:
    """Redirect to the page that follows one of the list, or else to the last."""
    urls = [page.url for page in list_pages(study)]
    here = reverse(f"console:{page}", args=[study.slug, *more])
    rest = urls[urls.index(here) + 1 :] if here in urls else urls[-1:]
    return redirect(rest[0])
