"""The second look at ratings far from the others': its offer, its progress and its end."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.access.roles import Right
from surveys.errors import SecondLookRefused
from surveys.models import SecondLook, Study
from surveys.review.second_look import (
    close_second_look,
    follow_second_look,
    list_obstacles,
    open_second_look,
    preview_second_look,
)
from surveys.web.console.access import signed_in, study_page


@study_page(Right.READ, "GET", also=Right.LOOK)
def second_look(request: HttpRequest, study: Study) -> HttpResponse:
    """Show who would look at how many ratings again or, once it is opened, what they did."""
    look = SecondLook.objects.filter(study=study).first()
    obstacles = [] if look else list(list_obstacles(study))
    lookers = []
    if not obstacles:
        lookers = follow_second_look(study) if look else preview_second_look(study)
    names = ("n_shown", "n_answered", "n_changed")
    page = {
        "study": study,
        "look": look,
        "obstacles": obstacles,
        "lookers": lookers,
        "sums": {name: sum(getattr(looker, name) for looker in lookers) for name in names},
    }
    return render(request, "console/collection/second_look.html", page)


@study_page(Right.WORK, "POST")
def open_look(request: HttpRequest, study: Study) -> HttpResponse:
    """Open the second look."""
    said = "The second look is open: annotators’ links lead to it now."
    return _move(request, study, open_second_look, said)


@study_page(Right.WORK, "POST")
def close_look(request: HttpRequest, study: Study) -> HttpResponse:
    """Close the second look."""
    return _move(request, study, close_second_look, "The second look is closed.")


def _move(
    request: HttpRequest, study: Study, act: Callable[[Study, User], SecondLook], said: str
) -> HttpResponse:
    try:
        act(study, signed_in(request))
    except SecondLookRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, said)
    return redirect("console:second_look", study.slug)
