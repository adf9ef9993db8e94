"""Shared code of annotator pages: no cookies, caching, the study's language, redirects."""

from collections.abc import Callable
from functools import cache, wraps

from csp.utils import build_policy
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from surveys.errors import TextChanged
from surveys.models import Assignment, AssignmentState, Invitation
from surveys.participation.assignments import is_displaced
from surveys.participation.due_item import AssignmentProgress, find_progress
from surveys.participation.introduction import find_due_step
from surveys.participation.own_links import is_opened_by_id
from surveys.participation.second_look import has_due_look
from surveys.recruitment.links import personal_link
from surveys.recruitment.providers import rules_of
from surveys.web.annotate.frames import allow_framing
from surveys.web.rendering.study_page import activate_language, display_of

# Forms that the script sends are answered with the next address, which the browser then opens.
SENDER, FETCH = "X-Requested-With", "fetch"
HTTP_FORBIDDEN = 403
HTTP_UNPROCESSABLE = 422


def annotator_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate the view of a page without cookies, hence without a CSRF token.

    The page is not cached, so "back" requests it again and is redirected to the due page. Only a
    refused form may be: otherwise "back" would show the browser's own "confirm resubmission".
    The script follows no redirect itself, so that each page is rendered once.
    """

    @wraps(view)
    def page(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = _call_with_retry(view, request, *args, **kwargs)
        if isinstance(response, HttpResponseRedirect) and request.headers.get(SENDER) == FETCH:
            response = HttpResponse(response.url, content_type="text/plain")
        is_refused = response.status_code == HTTP_UNPROCESSABLE
        response["Cache-Control"] = "private, no-cache" if is_refused else "private, no-store"
        response["Content-Security-Policy"] = _content_policy()
        allow_framing(request, response)
        return response

    return csrf_exempt(require_http_methods(["GET", "HEAD", "POST"])(page))


def _call_with_retry(
    view: Callable[..., HttpResponse], request: HttpRequest, *args: object, **kwargs: object
) -> HttpResponse:
    """Call a view; retry once if a text changed meanwhile or the database connection dropped.

    Every request of an annotator is idempotent: the first answer counts.
    """
    try:
        return view(request, *args, **kwargs)
    except TextChanged:  # during this request: the page, rendered again, says so
        return view(request, *args, **kwargs)
    except (InterfaceError, OperationalError):
        if connection.is_usable():
            raise
        connection.close()
        return view(request, *args, **kwargs)


@cache
def _content_policy() -> str:
    """Return the site's content security policy, which the middleware would build per page."""
    return build_policy()


def find_and_activate(token: str) -> AssignmentProgress:
    """Return where an assignment's annotator is, and use the study's language, or raise 404."""
    where = find_progress(token)
    if where is None:
        raise Http404
    activate_language(display_of(where.study_id, where.revision))
    return where


def find_assignment(token: str) -> Assignment:
    """Return a link's assignment, its study and its invitation, and use its language; or 404."""
    with_invitation = Assignment.objects.select_related("annotator__invitation__entrance", "study")
    assignment = with_invitation.filter(token=token).first()
    if assignment is None:
        raise Http404
    activate_language(display_of(assignment.study.pk, assignment.study.revision))
    return assignment


def own_link(assignment: Assignment) -> str | None:
    """Return the own link of an annotator who came by an open link or a provider.

    None for an annotator who was sent a personal link, and if an id alone opened the assignment.
    """
    if is_opened_by_id(assignment):
        return None
    invitation = Invitation.objects.select_related("entrance").get(annotator=assignment.annotator)
    if invitation.entrance is None:
        return None
    if rules_of(invitation.entrance.provider).is_anonymous:  # the address at which they agreed
        return address_of("join", invitation.entrance.token, invitation.token)
    return personal_link(invitation.token)


def address_of(page: str, *tokens: str) -> str:
    """Return the absolute URL of a page."""
    return f"{settings.SITE_URL}{reverse(f'annotate:{page}', args=tokens)}"


def has_lost_place(where: AssignmentProgress) -> bool:
    """Return whether another annotator has the place of an annotator without answers."""
    if where.state != AssignmentState.EXPIRED or where.n_pages_done:
        return False
    return is_displaced(Assignment.objects.with_study().get(pk=where.assignment_id))


def redirect_to_due(token: str) -> HttpResponseRedirect:
    """Redirect to the page that is due, whatever was requested."""
    where = find_and_activate(token)
    study = display_of(where.study_id, where.revision).study
    has_ended = where.state not in AssignmentState.leased()
    if has_ended and study.second_look_above is not None and has_due_look(where.assignment_id):
        return redirect("annotate:again", token)
    if where.takes_answers and where.due and not has_lost_place(where):
        page = "annotate:rate" if where.asks_rating else "annotate:engage"
        return redirect(page, token, where.due.position)
    if where.state == AssignmentState.SUBMITTED:
        return redirect("annotate:thanks", token)
    if step := find_due_step(find_assignment(token)):
        return redirect(f"annotate:{step}", token)
    return redirect("annotate:ended", token)
