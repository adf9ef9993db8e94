"""The pages of an item. The link alone identifies the annotator; see `docs/survey.md`."""

from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from surveys.errors import AlreadyAnswered
from surveys.models import Response
from surveys.models.study import write_point
from surveys.operations.metrics import count_judgement
from surveys.participation.answers import record_engagement, record_rating, record_unjudgeable
from surveys.participation.corrections import change_rating, find_last_answer
from surveys.participation.due_item import AssignmentProgress, DueItem
from surveys.web.annotate.decorators import (
    HTTP_UNPROCESSABLE,
    annotator_page,
    find_and_activate,
    has_lost_place,
    redirect_to_due,
)
from surveys.web.rendering.item_forms import (
    CANNOT_JUDGE,
    WRITTEN,
    RatingForm,
    is_complete,
    read_pasted,
    read_visit,
)
from surveys.web.rendering.item_pages import (
    RATING_PAGE,
    WORDS_PAGE,
    ItemPage,
    describe_correction,
    make_rating_form,
    render_item,
)
from surveys.web.rendering.study_page import display_of

ANSWERED = gettext_noop(
    "This text was answered in another tab already: %(answer)s. The first answer counts."
)
TOO_LATE = gettext_noop(
    "The next text was answered in another tab, so this answer can no longer be changed: %(answer)s"
)
PAIR_ANSWERED = gettext_noop(
    "This pair was answered in another tab already: %(answer)s. The first answer counts."
)
PAIR_TOO_LATE = gettext_noop(
    "The next pair was answered in another tab, so this answer can no longer be changed: %(answer)s"
)


@annotator_page
def next_page(request: HttpRequest, token: str) -> HttpResponse:
    """Redirect to the page that is due."""
    return redirect_to_due(token)


@annotator_page
def engage(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Show and store page 1 of an item: the bare text and two inspired words."""
    return answer_page(request, token, position, WORDS_PAGE)


@annotator_page
def rate(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Show and store page 2 of an item (target words and scale), once page 1 is accepted."""
    return answer_page(request, token, position, RATING_PAGE)


@annotator_page
def change(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Show and change the last rating, until page 1 of the next item is answered."""
    where = find_and_activate(token)
    last = find_last_answer(where, position)
    face = display_of(where.study_id, where.revision)
    sent = request.POST if request.method == "POST" else None
    if last is None:
        refuse_other_answer(where, position, make_rating_form(face, sent), is_late=True)
        return redirect_to_due(token)
    rating = "" if last.rating is None else write_point(last.rating)
    chosen = {
        "rating": CANNOT_JUDGE if last.is_unjudgeable else rating,
        **{name: getattr(last, name) for name in WRITTEN},
    }
    form = make_rating_form(face, sent, chosen)
    if is_complete(form, last.context.restored(where.kind)):
        layout = read_visit(request.POST).layout
        comment = form.cleaned_data["comment"]
        if not change_rating(
            where, position, form.given_rating, comment, layout, written=form.given_texts
        ):
            refuse_other_answer(where, position, form, is_late=True)
        return redirect_to_due(token)
    described = describe_correction(face, last, position, where.n_items, where.n_pages_done)
    page = {**described, "form": form, "token": token}
    return render(request, "annotate/change.html", page, status=HTTP_UNPROCESSABLE if sent else 200)


def answer_page(request: HttpRequest, token: str, position: int, page: ItemPage) -> HttpResponse:
    """Show a page of an item, or store its answer and redirect to the next page."""
    where = find_and_activate(token)
    due = find_due(where, position, asks_rating=page is RATING_PAGE)
    form = None
    if request.method == "POST":
        form = page.make_form(display_of(where.study_id, where.revision), request.POST)
    if due is None or has_lost_place(where):
        if form is not None:
            refuse_other_answer(where, position, form)
        return redirect_to_due(token)
    if form is None:
        return HttpResponse(render_item(page, where, due, token, None))
    if not is_complete(form, due.item):
        refused = render_item(page, where, due, token, form)
        return HttpResponse(refused, status=HTTP_UNPROCESSABLE)
    if not store_answer(where, form, request.POST):
        refuse_other_answer(where, position, form)
    elif page is RATING_PAGE:
        count_judgement()
    survey = request.path.rsplit("/", 3)[0]  # `reverse` would take as long as the query
    if page is WORDS_PAGE:
        return HttpResponseRedirect(f"{survey}/{position}/rating/")
    if position < where.n_items:
        first = "rating" if where.kind.n_pages == 1 else "words"
        return HttpResponseRedirect(f"{survey}/{position + 1}/{first}/")
    return HttpResponseRedirect(f"{survey}/thanks/")


def store_answer(where: AssignmentProgress, form: Form, sent: QueryDict) -> bool:
    """Store two words, a rating, or that the annotator cannot judge; return whether stored."""
    visit, given = read_visit(sent), form.cleaned_data
    if not isinstance(form, RatingForm):
        return record_engagement(
            where, given["inspired_word1"], given["inspired_word2"],
            visit=visit, pasted=read_pasted(sent),
        )  # fmt: skip
    rating, written = form.given_rating, form.given_texts
    if rating is None and written is None:
        return record_unjudgeable(where, given["comment"], visit=visit)
    return record_rating(where, rating, written=written, visit=visit)


def refuse_other_answer(
    where: AssignmentProgress, position: int, form: Form, *, is_late: bool = False
) -> None:
    """Raise AlreadyAnswered if a valid form differs from the stored answer, which it names.

    `is_late`: the form would have changed it.

    A repetition of the stored answer, or of the rating before a change, is none.
    """
    if not form.is_valid():
        return
    response = Response.objects.filter(assignment=where.assignment_id, position=position).first()
    if response is None or response.engaged_at is None:
        return
    written = (response.written1, response.written2)
    if isinstance(form, RatingForm):
        point = response.rating
        given = [point, *([response.first_rating] if response.changed_at else [])]
        is_other = response.rated_at is not None and (
            form.given_rating not in given
            or (bool(form.written_fields) and (form.given_texts or ("", "")) != written)
        )
        face = display_of(where.study_id, where.revision)
        parts = [] if point is None else [face.name_point(write_point(point))]
        parts += filter(None, written if form.written_fields else ())
        stored = ", ".join(parts) or _("I cannot judge this")
    else:
        is_other, stored = (*form.cleaned_data.values(),) != written, ", ".join(written)
    if is_other:
        said = (ANSWERED, TOO_LATE) if where.kind.n_texts == 1 else (PAIR_ANSWERED, PAIR_TOO_LATE)
        raise already_answered(said[is_late], stored)


def already_answered(said: str, stored: str) -> AlreadyAnswered:
    """Return the refusal, in words to be translated, that names the stored answer."""
    answer = f"\N{FIRST STRONG ISOLATE}{stored}\N{POP DIRECTIONAL ISOLATE}"
    return AlreadyAnswered(_(said) % {"answer": answer}, heading=_("Already answered"))


def find_due(where: AssignmentProgress, position: int, *, asks_rating: bool) -> DueItem | None:
    """Return the due item if it is at this position and page, else None."""
    due = where.due if where.takes_answers else None
    is_here = due is not None and due.position == position and where.asks_rating == asks_rating
    return due if is_here else None
