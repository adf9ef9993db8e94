"""Where people arrive: by a personal link, an open one, a provider. Looking starts nothing."""

import re
from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation

from surveys.access.client_address import client_address
from surveys.models import Assignment, Entrance, Invitation, Provider, Study, TextKind
from surveys.models.collection import make_token
from surveys.participation.arrival_limits import refuse_rush
from surveys.participation.arrivals import (
    find_by_ticket,
    is_full,
    is_known,
    lead_back,
    refuse_closed,
    return_by_own_link,
    return_visitor,
    start_through,
)
from surveys.participation.assignments import (
    Consent,
    count_items,
    has_place_left,
    refuse_revoked,
    start_assignment,
)
from surveys.recruitment.completion_codes import no_place_completion
from surveys.recruitment.providers import Claims, read_claims, rules_of
from surveys.study.consent_notice import Facts, Way, make_notice
from surveys.study.lifecycle import refuse_draft
from surveys.study.protocol import protocol_of
from surveys.study.texts import interface_of
from surveys.web.annotate.decorators import (
    HTTP_FORBIDDEN,
    HTTP_UNPROCESSABLE,
    address_of,
    annotator_page,
)
from surveys.web.rendering.study_page import face_of, render_text

TICKET = re.compile(r"[A-Za-z0-9_-]{22}")


@annotator_page
def index(request: HttpRequest) -> HttpResponse:
    """For whoever comes without a link."""
    return render(request, "annotate/index.html")


@annotator_page
def welcome(request: HttpRequest, token: str) -> HttpResponse:
    """What awaits the holder of a personal link, and what they agree to."""
    invitation = get_object_or_404(Invitation.objects.with_study(), token=token)
    study = invitation.study
    if assignment := Assignment.objects.latest_from(invitation):
        return redirect("annotate:next", lead_back(assignment).token)
    meet(study)
    refuse_revoked(invitation)
    way = Way.by(invitation)
    return ask_consent(request, study, way, lambda agreed: start_assignment(invitation, agreed))


@annotator_page
def arrive(request: HttpRequest, token: str) -> HttpResponse:
    """An entrance. Who comes by the open link is given an address of their own first."""
    entrance = get_object_or_404(Entrance.objects.select_related("study"), token=token)
    study = entrance.study
    meet(study)
    if not rules_of(entrance.provider).has_address:
        raise Http404
    sent = request.POST if request.method == "POST" else request.GET
    claims = read_claims(entrance.provider, sent)
    if claims is None:
        return redirect("annotate:join", token, make_token())
    if assignment := return_visitor(entrance, claims):
        return redirect("annotate:next", lead_back(assignment).token)
    if is_known(entrance, claims):
        return ask_own_link(
            request, study, claims, lambda link: return_by_own_link(entrance, claims, link)
        )
    refuse_closed(entrance)
    return ask_consent(
        request,
        study,
        Way.through(entrance.provider),
        lambda agreed: start_through(
            entrance, make_token(), claims, agreed=agreed, address=client_address(request)
        ),
        entrance=entrance,
        claims=claims,
    )


@annotator_page
def join(request: HttpRequest, token: str, ticket: str) -> HttpResponse:
    """The open link, at an address that becomes the personal link of whoever starts here."""
    entrance = get_object_or_404(Entrance.objects.select_related("study"), token=token)
    if entrance.provider != Provider.LINK or not TICKET.fullmatch(ticket):
        raise Http404
    study = entrance.study
    meet(study)
    begun = find_by_ticket(entrance, ticket)
    if begun and (assignment := Assignment.objects.latest_from(begun)):
        return redirect("annotate:next", lead_back(assignment).token)
    refuse_closed(entrance)
    return ask_consent(
        request,
        study,
        Way.through(entrance.provider),
        lambda agreed: start_through(
            entrance, ticket, agreed=agreed, address=client_address(request)
        ),
        entrance=entrance,
        own_link=address_of("join", token, ticket),
    )


def meet(study: Study) -> None:
    """Speak the study's language; while it is a draft nobody goes further."""
    translation.activate(interface_of(study))
    refuse_draft(study)


def ask_own_link(
    request: HttpRequest,
    study: Study,
    claims: Claims,
    go_on: Callable[[str], Assignment | None],
    *,
    is_from_hit: bool = False,
) -> HttpResponse:
    """For an arrival with a known id on another submission: it opens nothing by itself.

    An own link that is pasted does, if `go_on` finds the assignment that it belongs to.
    """
    link = request.POST.get("own_link") if request.method == "POST" else None
    if link and (assignment := go_on(link)):
        return redirect("annotate:next", lead_back(assignment).token)
    page = {
        "claims": claims,
        "contact": study.contact,
        "is_from_hit": is_from_hit,
        "is_refused": link is not None,
    }
    status = HTTP_FORBIDDEN if link is None else HTTP_UNPROCESSABLE
    return render(request, "annotate/prove.html", page, status=status)


def ask_consent(
    request: HttpRequest,
    study: Study,
    way: Way,
    begin: Callable[[Consent], Assignment],
    *,
    entrance: Entrance | None = None,
    claims: Claims | None = None,
    own_link: str | None = None,
    is_from_hit: bool = False,
) -> HttpResponse:
    """The welcome page. Only who agrees to the very text and notice shown there begins.

    Who comes from a HIT has one of its places.
    """
    text = protocol_of(study.pk, study.revision).texts[TextKind.CONSENT]
    notice = make_notice(study, Facts.of(study, way))
    consent = Consent.asked_by(study, text, notice)
    answer = request.POST.get("answer") if request.method == "POST" else None
    has_agreed_to_this = request.POST.get("consent") == consent.mark
    if answer == "decline":
        return render(request, "annotate/declined.html", {"is_sent": claims is not None})
    if answer == "agree" and has_agreed_to_this:
        return redirect("annotate:next", begin(consent).token)
    face = face_of(study.pk, study.revision)
    n_items = count_items(study)
    is_full_up = not has_place_left(study) or bool(entrance and is_full(entrance))
    if entrance and not is_full_up and request.method != "POST":
        refuse_rush(entrance, client_address(request))
    page = {
        "face": face,
        "consent": consent.mark,
        "consent_text": render_text(study, text),
        "notice": notice,
        "has_changed": answer == "agree",
        "has_place": is_from_hit or not is_full_up,
        "is_from_hit": is_from_hit,
        "completion": no_place_completion(entrance) if entrance else None,
        "claims": claims,
        "own_link": own_link,
        "n_items": n_items,
        "minutes": face.times.first_minutes(n_items),
    }
    status = HTTP_UNPROCESSABLE if request.method == "POST" else 200
    return render(request, "annotate/welcome.html", page, status=status)
