"""Arrival pages: personal links, open links and providers. A GET stores nothing."""

import re
from collections.abc import Callable
from dataclasses import replace

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation

from surveys.access.client_address import client_address
from surveys.access.roles import DEMO_TO_COME, find_demonstrations
from surveys.models import Assignment, Entrance, Invitation, Provider, Study, TextKind
from surveys.models.participation import make_token
from surveys.participation.arrival_limits import enforce_arrival_limits
from surveys.participation.arrivals import (
    find_assignment_to_show,
    find_by_ticket,
    is_full,
    is_known,
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
from surveys.participation.introduction import list_steps
from surveys.recruitment.completion_codes import no_place_completion
from surveys.recruitment.consent_notice import Facts, find_disclosure, make_notice
from surveys.recruitment.mails import stop_mail
from surveys.recruitment.providers import Claims, ProviderRules, read_claims, rules_of
from surveys.study.lifecycle import refuse_draft
from surveys.study.rules import study_rules_of
from surveys.study.texts import interface_of
from surveys.web.annotate.decorators import (
    HTTP_FORBIDDEN,
    HTTP_UNPROCESSABLE,
    address_of,
    annotator_page,
)
from surveys.web.rendering.practice import describe_sample
from surveys.web.rendering.steps import CONSENT, show_steps
from surveys.web.rendering.study_page import display_of, render_text

TICKET = re.compile(r"[A-Za-z0-9_-]{22}")


@annotator_page
def index(request: HttpRequest) -> HttpResponse:
    """Show the start page, which needs no link."""
    page = {
        "demonstrations": find_demonstrations(),
        "is_demo_to_come": cache.get(DEMO_TO_COME),
    }
    return render(request, "annotate/index.html", page)


@annotator_page
def welcome(request: HttpRequest, token: str) -> HttpResponse:
    """Show the consent page of a personal link, or redirect to its assignment."""
    invitation = get_object_or_404(Invitation.objects.with_study(), token=token)
    study = invitation.study
    if assignment := Assignment.objects.latest_from(invitation):
        return redirect("annotate:next", find_assignment_to_show(assignment).token)
    open_for(study)
    refuse_revoked(invitation)
    return ask_consent(
        request,
        study,
        replace(rules_of(Provider.LINK), disclosure=find_disclosure(invitation)),
        lambda agreed: start_assignment(invitation, agreed),
        no_mail=token,
    )


@annotator_page
def no_mail(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether no more e-mails are wanted, and store that; mail programs send the POST, too."""
    invitations = Invitation.objects.with_study().filter(entrance=None)
    invitation = get_object_or_404(invitations, token=token)
    translation.activate(interface_of(invitation.study))
    if request.method == "POST":
        stop_mail(invitation)
    page = {
        "token": token,
        "contact": invitation.study.contact,
        "is_stopped": request.method == "POST" or invitation.no_mail_since,
    }
    return render(request, "annotate/no_mail.html", page)


@annotator_page
def arrive(request: HttpRequest, token: str) -> HttpResponse:
    """Receive an annotator from a provider; redirect an open link to a new ticket's address."""
    entrance = get_object_or_404(Entrance.objects.select_related("study"), token=token)
    study = entrance.study
    open_for(study)
    if not rules_of(entrance.provider).has_address:
        raise Http404
    sent = request.POST if request.method == "POST" else request.GET
    claims = read_claims(entrance.provider, sent)
    if claims is None:
        return redirect("annotate:join", token, make_token())
    if assignment := return_visitor(entrance, claims):
        return redirect("annotate:next", find_assignment_to_show(assignment).token)
    if is_known(entrance, claims):
        return ask_own_link(
            request, study, claims, lambda link: return_by_own_link(entrance, claims, link)
        )
    refuse_closed(entrance)
    return ask_consent(
        request,
        study,
        rules_of(entrance.provider),
        lambda agreed: start_through(
            entrance, make_token(), claims, agreed=agreed, address=client_address(request)
        ),
        entrance=entrance,
        claims=claims,
    )


@annotator_page
def join(request: HttpRequest, token: str, ticket: str) -> HttpResponse:
    """Show the consent page at a ticket's address, which becomes the annotator's own link."""
    entrance = get_object_or_404(Entrance.objects.select_related("study"), token=token)
    if not rules_of(entrance.provider).is_anonymous or not TICKET.fullmatch(ticket):
        raise Http404
    study = entrance.study
    open_for(study)
    begun = find_by_ticket(entrance, ticket)
    if begun and (assignment := Assignment.objects.latest_from(begun)):
        return redirect("annotate:next", find_assignment_to_show(assignment).token)
    refuse_closed(entrance)
    return ask_consent(
        request,
        study,
        rules_of(entrance.provider),
        lambda agreed: start_through(
            entrance, ticket, agreed=agreed, address=client_address(request)
        ),
        entrance=entrance,
        own_link=address_of("join", token, ticket),
    )


def open_for(study: Study) -> None:
    """Use the study's language. Raises StudyNotOpen for a draft."""
    translation.activate(interface_of(study))
    refuse_draft(study)


def ask_own_link(
    request: HttpRequest,
    study: Study,
    claims: Claims,
    resume: Callable[[str], Assignment | None],
    *,
    is_from_hit: bool = False,
) -> HttpResponse:
    """Ask an arrival with a known id on another submission for the annotator's own link.

    The id alone opens nothing. `resume` returns the assignment that a pasted link belongs to.
    """
    link = request.POST.get("own_link") if request.method == "POST" else None
    if link and (assignment := resume(link)):
        return redirect("annotate:next", find_assignment_to_show(assignment).token)
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
    rules: ProviderRules,
    begin: Callable[[Consent], Assignment],
    *,
    entrance: Entrance | None = None,
    claims: Claims | None = None,
    own_link: str | None = None,
    no_mail: str = "",
    is_from_hit: bool = False,
    pay: str = "",
) -> HttpResponse:
    """Show the consent page; call `begin` once its current text and notice are agreed to.

    A worker on a HIT has one of its places, so the study's free places do not matter. `no_mail`
    is the token of a personal link, `pay` that of a HIT.
    """
    texts = study_rules_of(study.pk, study.revision).texts
    text = texts[TextKind.CONSENT]
    notice = make_notice(Facts.of(study, rules.disclosure))
    consent = Consent.asked_by(study, text, notice)
    answer = request.POST.get("answer") if request.method == "POST" else None
    has_agreed_to_this = request.POST.get("consent") == consent.mark
    if answer == "decline":
        declined = {"contact": study.contact, "give_back": rules.give_back}
        return render(request, "annotate/declined.html", declined)
    if answer == "agree" and has_agreed_to_this:
        return redirect("annotate:next", begin(consent).token)
    face = display_of(study.pk, study.revision)
    n_items = count_items(study)
    has_no_place = not has_place_left(study) or bool(entrance and is_full(entrance))
    if entrance and not has_no_place and request.method != "POST":
        enforce_arrival_limits(entrance, client_address(request))
    page = {
        "face": face,
        **describe_sample(study, texts[TextKind.PRACTICE]),
        "steps": show_steps(study, list_steps(study), CONSENT),
        "consent": consent.mark,
        "consent_text": render_text(study, text),
        "notice": notice,
        "has_changed": answer == "agree",
        "has_place": is_from_hit or not has_no_place,
        "is_from_hit": is_from_hit,
        "completion": no_place_completion(entrance) if entrance else None,
        "claims": claims,
        "own_link": own_link,
        "no_mail": no_mail if rules.disclosure.gets_mail else "",
        "n_items": n_items,
        "minutes": face.times.first_minutes(n_items),
        "pay": pay or study.pay,
        "how_paid": rules.pay,
    }
    status = HTTP_UNPROCESSABLE if request.method == "POST" else 200
    return render(request, "annotate/welcome.html", page, status=status)
