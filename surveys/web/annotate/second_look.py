"""The pages of a second look: how many pairs, and each of them with the rating given before."""

import time

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.models import Assignment, AssignmentState, SecondAnswer
from surveys.models.study import write_point
from surveys.participation.second_look import answer_again, list_looks
from surveys.study.planning.durations import as_minutes
from surveys.web.annotate.decorators import (
    HTTP_UNPROCESSABLE,
    annotator_page,
    find_assignment,
    redirect_to_due,
)
from surveys.web.annotate.items import PAIR_ANSWERED, already_answered
from surveys.web.rendering.item_forms import read_visit
from surveys.web.rendering.item_pages import describe_correction, make_rating_form
from surveys.web.rendering.markdown import PlacedPoint
from surveys.web.rendering.practice import Placement
from surveys.web.rendering.study_page import display_of


@annotator_page
def again(request: HttpRequest, token: str) -> HttpResponse:
    """Say how many pairs there are to look at again, and how long that takes."""
    assignment, looks = find_looks(token)
    n_left = sum(look.answered_at is None for look in looks)
    if not n_left:
        return redirect_to_due(token)
    study = assignment.study
    page = {
        "study": study,
        "token": token,
        "n_left": n_left,
        "minutes": as_minutes(n_left * study.seconds_per_item),
        "first": next(n for n, look in enumerate(looks, 1) if look.answered_at is None),
    }
    return render(request, "annotate/again.html", page)


@annotator_page
def look(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Show a pair with its rating, to keep or to change; a POST keeps it."""
    return answer_look(request, token, number, is_changing=False)


@annotator_page
def change_look(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Show a pair with its rating on the scale; a POST changes it."""
    return answer_look(request, token, number, is_changing=True)


def answer_look(
    request: HttpRequest, token: str, number: int, *, is_changing: bool
) -> HttpResponse:
    """Show a pair that is looked at again, or store its answer and redirect to the next."""
    assignment, looks = find_looks(token)
    if not 0 < number <= len(looks):
        return redirect_to_due(token)
    answer, study = looks[number - 1], assignment.study
    face = display_of(study.pk, study.revision)
    sent = request.POST if request.method == "POST" else None
    before = answer.response.rating
    chosen = {"rating": "" if before is None else write_point(before)}
    form = make_rating_form(face, sent if is_changing else None, chosen, is_again=True)
    if sent is not None and (not is_changing or form.is_valid()):
        rating, comment = before, ""
        if is_changing:
            rating, comment = form.given_rating, form.cleaned_data["comment"]
        if not answer_again(answer, rating, comment, shown_at=read_visit(sent).shown_at):
            kept = SecondAnswer.objects.filter(pk=answer.pk, answered_at__isnull=False).first()
            if kept is None:  # withdrawn meanwhile
                return redirect_to_due(token)
            if kept.rating != rating:
                stored = _("I cannot judge this")
                if kept.rating is not None:
                    stored = face.name_point(write_point(kept.rating))
                raise already_answered(PAIR_ANSWERED, stored)
        return redirect_to_next(token, looks, number)
    if answer.answered_at:
        return redirect_to_next(token, looks, number)
    n_done = sum(look.answered_at is not None for look in looks)
    described = describe_correction(face, answer.response, number, len(looks), n_done)
    points = [PlacedPoint(p.value, p.value == chosen["rating"], is_ours=False) for p in face.scale]
    page = {
        **described,
        "form": form,
        "token": token,
        "placement": Placement(points, described["rated"], ""),
        "back": "../",
        "shown": str(time.time_ns() // 1_000_000),
    }
    template = "annotate/change.html" if is_changing else "annotate/look.html"
    return render(request, template, page, status=HTTP_UNPROCESSABLE if sent else 200)


def find_looks(token: str) -> tuple[Assignment, list[SecondAnswer]]:
    """Return a link's assignment, and what its annotator looks at again; nothing before the end.

    Raises AssignmentEnded once the second look is closed.
    """
    assignment = find_assignment(token)
    if assignment.state in (*AssignmentState.leased(), AssignmentState.WITHDRAWN):
        return assignment, []
    return assignment, list_looks(assignment)


def redirect_to_next(token: str, looks: list[SecondAnswer], number: int) -> HttpResponseRedirect:
    """Redirect to a pair that is not answered yet, or after the last to the page that is due."""
    left = [n for n, look in enumerate(looks, 1) if look.answered_at is None and n != number]
    return redirect("annotate:look", token, left[0]) if left else redirect_to_due(token)
