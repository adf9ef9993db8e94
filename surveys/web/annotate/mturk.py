"""Where workers arrive who look at a HIT, or have accepted it: in a frame, without a cookie."""

from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.crowd.fees import write_cents
from surveys.crowd.mturk.arrival import (
    find_hit,
    is_preview,
    needs_own_link,
    read_arrival,
    refuse_newcomer,
    return_by_own_link,
    return_to_hit,
    start_in_hit,
)
from surveys.models import Assignment, Hit, TextKind
from surveys.participation.assignments import Consent, count_items
from surveys.study.consent_notice import Way
from surveys.study.texts import current_text, read_practice
from surveys.tasks import start_telling_grants
from surveys.web.annotate.arrival import ask_consent, ask_own_link, meet
from surveys.web.annotate.decorators import annotator_page
from surveys.web.rendering.item_pages import describe_text
from surveys.web.rendering.study_page import face_of


@annotator_page
def enter(request: HttpRequest, key: UUID) -> HttpResponse:
    """The address of a HIT. Nothing of who comes stays in the address of what follows."""
    hit = find_hit(key)
    meet(hit.batch.study)
    sent = request.POST if request.method == "POST" else request.GET
    if is_preview(sent):
        return show_sample(request, hit)
    claims = read_arrival(hit, sent)
    if needs_own_link(hit, claims):
        return ask_own_link(
            request, hit.batch.study, claims, partial(return_by_own_link, hit, claims),
            is_from_hit=True,
        )  # fmt: skip
    if assignment := return_to_hit(hit, claims):
        start_telling_grants(hit.provider)  # who is known begins another block without a page
        return redirect("annotate:next", assignment.token)
    refuse_newcomer(hit, claims)

    def begin(agreed: Consent | None) -> Assignment:
        assignment = start_in_hit(hit, claims, agreed)
        start_telling_grants(hit.provider)
        return assignment

    return ask_consent(request, hit.batch.study, Way.MTURK, begin, claims=claims, is_from_hit=True)


def show_sample(request: HttpRequest, hit: Hit) -> HttpResponse:
    """What a HIT is like, for who has not accepted it: nothing to fill in, and nothing stored."""
    study = hit.batch.study
    face = face_of(study.pk, study.revision)
    item = read_practice(current_text(study, TextKind.PRACTICE).body)
    n_items = count_items(study)
    page = {
        "face": face,
        **(describe_text(item, study, is_marked=False) if item else {}),
        "pay": write_cents(hit.batch.reward_cents),
        "n_items": n_items,
        "minutes": face.times.first_minutes(n_items),
    }
    return render(request, "annotate/sample.html", page)
