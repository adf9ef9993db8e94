"""The two pages of an item. The link alone identifies the annotator; see `docs/survey.md`."""

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from surveys.participation.answers import record_engagement, record_rating, record_unjudgeable
from surveys.participation.due_item import AssignmentProgress, DueItem
from surveys.web.annotate.decorators import (
    HTTP_UNPROCESSABLE,
    annotator_page,
    find_and_activate,
    has_lost_place,
    redirect_to_due,
)
from surveys.web.annotate.page_cache import render_item
from surveys.web.rendering.item_pages import (
    RATING_PAGE,
    WORDS_PAGE,
    ItemPage,
    RatingForm,
    make_engagement_form,
    make_rating_form,
    read_pasted,
    read_visit,
)
from surveys.web.rendering.study_page import display_of


@annotator_page
def next_page(request: HttpRequest, token: str) -> HttpResponse:
    """Redirect to the page that is due."""
    return redirect_to_due(token)


@annotator_page
def engage(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Show and store page 1 of an item: the bare text and two inspired words."""
    where = find_and_activate(token)
    due = find_due(where, position, is_engaged=False)
    if due is None or has_lost_place(where):
        return redirect_to_due(token)
    if request.method != "POST":
        return HttpResponse(render_item(WORDS_PAGE, where, due, token, None))
    form = make_engagement_form(display_of(where.study_id, where.revision), request.POST)
    if not form.is_valid():
        return refuse_answer(WORDS_PAGE, where, due, token, form)
    record_engagement(
        where, **form.cleaned_data, visit=read_visit(request.POST),
        pasted=read_pasted(request.POST),
    )  # fmt: skip
    return redirect("annotate:rate", token, position)


@annotator_page
def rate(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Show and store page 2 of an item (target words and scale), once page 1 is accepted."""
    where = find_and_activate(token)
    if not (due := find_due(where, position, is_engaged=True)):
        return redirect_to_due(token)
    if request.method != "POST":
        return HttpResponse(render_item(RATING_PAGE, where, due, token, None))
    form = make_rating_form(display_of(where.study_id, where.revision), request.POST)
    if not form.is_valid():
        return refuse_answer(RATING_PAGE, where, due, token, form)
    store_rating(where, form, request)
    if position < where.n_items:
        return redirect("annotate:engage", token, position + 1)
    return redirect("annotate:thanks", token)


def store_rating(where: AssignmentProgress, form: RatingForm, request: HttpRequest) -> None:
    """Store a valid answer to page 2: a rating, or that the annotator cannot judge."""
    visit = read_visit(request.POST)
    if (rating := form.given_rating) is None:
        record_unjudgeable(where, form.cleaned_data["comment"], visit=visit)
    else:
        record_rating(where, rating, visit=visit)


def find_due(where: AssignmentProgress, position: int, *, is_engaged: bool) -> DueItem | None:
    """Return the due item if it is at this position and page, else None."""
    due = where.due if where.takes_answers else None
    is_here = due is not None and due.position == position and bool(due.is_engaged) == is_engaged
    return due if is_here else None


def refuse_answer(
    page: ItemPage, where: AssignmentProgress, due: DueItem, token: str, form: Form
) -> HttpResponse:
    """Return the page with the errors of a refused form."""
    return HttpResponse(render_item(page, where, due, token, form), status=HTTP_UNPROCESSABLE)
