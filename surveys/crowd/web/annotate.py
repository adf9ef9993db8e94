"""Arrival pages of workers on a HIT, shown in a frame without cookies."""

from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path

from surveys.crowd.models import Hit
from surveys.crowd.mturk.arrival import (
    find_hit,
    find_in_hit,
    has_agreed,
    is_preview,
    needs_own_link,
    read_arrival,
    refuse_arrival,
    return_by_own_link,
    start_in_hit,
)
from surveys.crowd.mturk.qualifications import request_sending
from surveys.models import Assignment, TextKind
from surveys.participation.assignments import Consent, count_items
from surveys.recruitment.providers import rules_of
from surveys.study.texts import current_text
from surveys.web.annotate.arrival import ask_consent, ask_own_link, open_for
from surveys.web.annotate.decorators import annotator_page
from surveys.web.rendering.practice import describe_sample
from surveys.web.rendering.study_page import display_of


@annotator_page
def enter(request: HttpRequest, reservation: UUID) -> HttpResponse:
    """Show the page of a HIT: a sample, a way to start, or a redirect to the assignment.

    The worker's ids are not in the address of any later page.
    """
    hit = find_hit(reservation)
    open_for(hit.batch.study)
    sent = request.POST if request.method == "POST" else request.GET
    if is_preview(sent):
        return show_sample(request, hit)
    claims = read_arrival(hit, sent)
    if needs_own_link(hit, claims):
        return ask_own_link(
            request, hit.batch.study, claims, partial(return_by_own_link, hit, claims),
            is_from_hit=True,
        )  # fmt: skip
    if assignment := find_in_hit(hit, claims):
        return redirect("annotate:next", assignment.token)
    refuse_arrival(hit, claims)

    def begin(agreed: Consent | None = None) -> Assignment:
        assignment = start_in_hit(hit, claims, agreed)
        request_sending(hit.provider)
        return assignment

    if not has_agreed(hit, claims):
        return ask_consent(
            request, hit.batch.study, rules_of(hit.provider), begin,
            claims=claims, is_from_hit=True, pay=hit.reservation.pay,
        )  # fmt: skip
    if request.method == "POST":
        return redirect("annotate:next", begin().token)
    page = {
        "claims": claims,
        "is_compensation": hit.compensates is not None,
        "contact": hit.batch.study.contact,
    }
    return render(request, "crowd/start.html", page)


def show_sample(request: HttpRequest, hit: Hit) -> HttpResponse:
    """Show a sample of a HIT that is not accepted yet: no form, nothing stored."""
    study = hit.batch.study
    face = display_of(study.pk, study.revision)
    n_items = count_items(study)
    page = {
        "face": face,
        **describe_sample(study, current_text(study, TextKind.PRACTICE)),
        "pay": hit.reservation.pay,
        "how_paid": rules_of(hit.provider).pay,
        "n_items": n_items,
        "minutes": face.times.first_minutes(n_items),
    }
    return render(request, "crowd/sample.html", page)


PATHS = (path("mturk/enter/<uuid:reservation>/", enter, name="enter"),)
