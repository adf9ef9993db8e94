"""The two pages of an item. The link is all that identifies; see `docs/survey.md`."""

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from surveys.models.due import DueItem, Whereabouts
from surveys.participation.answers import record_engagement, record_rating, record_unjudgeable
from surveys.web.annotate.decorators import (
    HTTP_UNPROCESSABLE,
    annotator_page,
    find_here,
    has_lost_place,
    redirect_to_due,
)
from surveys.web.annotate.page_cache import render_item
from surveys.web.rendering.forms import RatingForm, read_pasted, read_visit
from surveys.web.rendering.item_pages import (
    RATING_PAGE,
    WORDS_PAGE,
    ItemPage,
    make_engagement_form,
    make_rating_form,
)
from surveys.web.rendering.study_page import face_of


@annotator_page
def next_page(request: HttpRequest, token: str) -> HttpResponse:
    """To the page that is due."""
    return redirect_to_due(token)


@annotator_page
def engage(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Page 1 of an item: the bare text and two words it inspires."""
    where = find_here(token)
    due = find_due(where, position, is_engaged=False)
    if due is None or has_lost_place(where):
        return redirect_to_due(token)
    if request.method != "POST":
        return HttpResponse(render_item(WORDS_PAGE, where, due, token, None))
    form = make_engagement_form(face_of(where.study_id, where.revision), request.POST)
    if not form.is_valid():
        return give_back(WORDS_PAGE, where, due, token, form)
    record_engagement(
        where, **form.cleaned_data, visit=read_visit(request.POST),
        pasted=read_pasted(request.POST),
    )  # fmt: skip
    return redirect("annotate:rate", token, position)


@annotator_page
def rate(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Page 2 of an item: the two words and the scale. Not to be had before page 1 is accepted."""
    where = find_here(token)
    if not (due := find_due(where, position, is_engaged=True)):
        return redirect_to_due(token)
    if request.method != "POST":
        return HttpResponse(render_item(RATING_PAGE, where, due, token, None))
    form = make_rating_form(face_of(where.study_id, where.revision), request.POST)
    if not form.is_valid():
        return give_back(RATING_PAGE, where, due, token, form)
    store_rating(where, form, request)
    if position < where.n_items:
        return redirect("annotate:engage", token, position + 1)
    return redirect("annotate:thanks", token)


def store_rating(where: Whereabouts, form: RatingForm, request: HttpRequest) -> None:
    """Hand a valid answer to page 2 to the action that keeps it."""
    visit = read_visit(request.POST)
    if (rating := form.given_rating) is None:
        record_unjudgeable(where, form.cleaned_data["comment"], visit=visit)
    else:
        record_rating(where, rating, visit=visit)


def find_due(where: Whereabouts, position: int, *, is_engaged: bool) -> DueItem | None:
    """The item that is due, if it is the one at this position and at this page."""
    due = where.due if where.takes_answers else None
    is_here = due is not None and due.position == position and bool(due.is_engaged) == is_engaged
    return due if is_here else None


def give_back(
    page: ItemPage, where: Whereabouts, due: DueItem, token: str, form: Form
) -> HttpResponse:
    """A page with the faults of what was sent; it is not an accepted answer."""
    return HttpResponse(render_item(page, where, due, token, form), status=HTTP_UNPROCESSABLE)
