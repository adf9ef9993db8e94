"""The last page of an assignment, withdrawal, and what the site stores about an annotator."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.access.audit_log import acting
from surveys.models import Assignment, AssignmentState, Invitation, Visit
from surveys.participation.assignments import start_another_assignment
from surveys.participation.further_blocks import find_further_block
from surveys.participation.introduction import has_failed_check
from surveys.participation.own_links import may_withdraw
from surveys.participation.second_look import has_due_look
from surveys.privacy.erasure import withdraw_annotator
from surveys.privacy.subject_access import export_annotator_data
from surveys.recruitment.completion_codes import (
    advise_to_give_back,
    came_by_reservation,
    completion_for,
    earned_before,
    find_rules,
    latest_reserved_visit,
)
from surveys.recruitment.consent_notice import Facts, find_disclosure, list_changes, make_notice
from surveys.web.annotate.decorators import (
    HTTP_UNPROCESSABLE,
    annotator_page,
    find_assignment,
    own_link,
    redirect_to_due,
)
from surveys.web.rendering.study_page import render_text

ENDED = {AssignmentState.RETURNED, AssignmentState.WITHDRAWN}


@annotator_page
def thanks(request: HttpRequest, token: str) -> HttpResponse:
    """Show the last page of a submitted assignment; a POST starts one more block."""
    assignment = find_assignment(token)
    has_look = assignment.study.second_look_above is not None and has_due_look(assignment.pk)
    if assignment.state != AssignmentState.SUBMITTED or has_look:
        return redirect_to_due(token)
    if request.method == "POST":
        return redirect("annotate:next", start_another_assignment(assignment).token)
    visit = latest_reserved_visit(assignment)
    page = {
        "token": token,
        "study": assignment.study,
        "n_items": assignment.n_items,
        "completion": completion_for(assignment, visit),
        "more": find_further_block(assignment),
        "is_from_hit": visit is not None,
        **explain_pay(assignment, visit),
    }
    return render(request, "annotate/thanks.html", page)


def explain_pay(assignment: Assignment, visit: Visit | None) -> dict[str, object]:
    """Return the pay for an annotator's work until now, and how and when it and more come."""
    study, annotator = assignment.study, assignment.annotator
    if visit and visit.reservation:
        pay = visit.reservation.pay
    else:
        pay = study.pay
        if study.pay_for_more:
            n_further = annotator.assignments.submitted().filter(pk__lt=assignment.pk).count()
            pay = " + ".join(filter(None, [pay, *[study.pay_for_more] * n_further]))
    rules = find_rules(annotator)
    return {"pay": pay, "how_paid": rules.pay, "how_more_is_paid": rules.pay_for_more}


@annotator_page
def withdraw(request: HttpRequest, token: str) -> HttpResponse:
    """Explain withdrawal; a POST asks for confirmation, and a confirmed one withdraws."""
    assignment = find_assignment(token)
    if assignment.state == AssignmentState.WITHDRAWN:
        return redirect_to_due(token)
    is_sent, link = request.method == "POST", request.POST.get("own_link", "")
    is_allowed = may_withdraw(assignment, link)
    if is_sent and is_allowed and request.POST.get("confirmed") == "yes":
        with acting("the annotator"):
            withdraw_annotator(assignment.annotator)
        return redirect("annotate:ended", token)
    if is_sent and is_allowed:
        return confirm_withdrawal(request, assignment, link)
    page = {
        "assignment": assignment,
        "token": token,
        "own_link": own_link(assignment),
        "completion": earned_before(assignment),
        "is_from_hit": came_by_reservation(assignment),
        "give_back": advise_to_give_back(assignment.annotator) if assignment.is_unfinished else "",
        "needs_own_link": not is_allowed,
        "is_refused": is_sent,
    }
    status = HTTP_UNPROCESSABLE if is_sent else 200
    return render(request, "annotate/withdraw.html", page, status=status)


def confirm_withdrawal(request: HttpRequest, assignment: Assignment, link: str) -> HttpResponse:
    """Ask for confirmation and show what would be erased; change nothing."""
    page = {
        "assignment": assignment,
        "token": assignment.token,
        "link": link,
        "n_answered": count_answered(assignment),
        "completion": earned_before(assignment),
    }
    return render(request, "annotate/withdraw_confirm.html", page)


def count_answered(assignment: Assignment) -> int:
    """Return the number of texts that the annotator has answered, in all assignments."""
    return assignment.annotator.responses.filter(engaged_at__isnull=False).count()


@annotator_page
def ended(request: HttpRequest, token: str) -> HttpResponse:
    """Show why an assignment ended before it was finished."""
    assignment = find_assignment(token)
    if assignment.state not in ENDED:
        return redirect_to_due(token)
    visit = latest_reserved_visit(assignment)
    page = {
        "assignment": assignment,
        "study": assignment.study,
        "token": token,
        "completion": completion_for(assignment, visit),
        "give_back": advise_to_give_back(assignment.annotator),
        "has_failed_check": has_failed_check(assignment),
        **explain_pay(assignment, visit),
        "has_answers": assignment.state != AssignmentState.WITHDRAWN and count_answered(assignment),
    }
    return render(request, "annotate/ended.html", page)


@annotator_page
def kept(request: HttpRequest, token: str) -> HttpResponse:
    """Show what the site stores about the annotator, as agreed to, and changes since then.

    A POST downloads all of it; if an id alone led here, with the annotator's own link.
    """
    assignment, is_sent = find_assignment(token), request.method == "POST"
    annotator = assignment.annotator
    if is_sent and may_withdraw(assignment, request.POST.get("own_link", "")):
        with acting("the annotator"):
            data = export_annotator_data(annotator)
        saved = {"Content-Disposition": 'attachment; filename="my_data.json"'}
        return HttpResponse(data, content_type="application/json", headers=saved)
    now = make_notice(Facts.for_annotator(annotator))
    agreed = annotator.notice or now
    invitation = Invitation.objects.select_related("entrance").get(annotator=annotator)
    consent = annotator.consent
    page = {
        "token": token,
        "needs_own_link": not may_withdraw(assignment, ""),
        "is_refused": is_sent,
        "contact": annotator.study.contact,
        "notice": agreed,
        "changes": list_changes(agreed, now),
        "no_mail": invitation.token if find_disclosure(invitation).gets_mail else "",
        "consent_text": render_text(annotator.study, consent) if consent else None,
    }
    status = HTTP_UNPROCESSABLE if is_sent else 200
    return render(request, "annotate/kept.html", page, status=status)
