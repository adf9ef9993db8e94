"""What all pages of annotators have in common: no cookie, no kept copy, the study's language."""

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
from surveys.models import Assignment, AssignmentState, Invitation, Provider
from surveys.models.due import Whereabouts, find_whereabouts
from surveys.participation.assignments import is_displaced
from surveys.participation.introduction import find_due_step
from surveys.participation.own_links import is_opened_by_id
from surveys.recruitment.links import personal_link
from surveys.web.annotate.frames import let_frame
from surveys.web.rendering.study_page import face_of, speak

HTTP_FORBIDDEN = 403
HTTP_UNPROCESSABLE = 422


def annotator_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page without a cookie, hence without a CSRF token.

    No copy of it is kept, so that "back" asks again and leads to what is due. Only the copy of a
    refused form is: without it "back" would end on the browser's own "confirm resubmission".
    """

    @wraps(view)
    def page(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = _answer_again_if_cut_off(view, request, *args, **kwargs)
        is_refused = response.status_code == HTTP_UNPROCESSABLE
        response["Cache-Control"] = "private, no-cache" if is_refused else "private, no-store"
        response["Content-Security-Policy"] = _content_policy()
        let_frame(request, response)
        return response

    return csrf_exempt(require_http_methods(["GET", "HEAD", "POST"])(page))


def _answer_again_if_cut_off(
    view: Callable[..., HttpResponse], request: HttpRequest, *args: object, **kwargs: object
) -> HttpResponse:
    """Call a view, and once more if what it read has changed, or its connection was dropped.

    Every request of an annotator may be repeated: the first answer counts.
    """
    try:
        return view(request, *args, **kwargs)
    except TextChanged:  # while this request was answered: its page, read again, says so
        return view(request, *args, **kwargs)
    except (InterfaceError, OperationalError):
        if connection.is_usable():
            raise
        connection.close()
        return view(request, *args, **kwargs)


@cache
def _content_policy() -> str:
    """The site's policy, which the middleware would build anew for every page."""
    return build_policy()


def find_here(token: str) -> Whereabouts:
    """Where the holder of an assignment's link is, with the pages in their language."""
    where = find_whereabouts(token)
    if where is None:
        raise Http404
    speak(face_of(where.study_id, where.revision))
    return where


def find_assignment(token: str) -> Assignment:
    """The assignment behind a link, for pages that need more than where its annotator is."""
    assignment = Assignment.objects.with_study().filter(token=token).first()
    if assignment is None:
        raise Http404
    speak(face_of(assignment.study.pk, assignment.study.revision))
    return assignment


def own_link(assignment: Assignment) -> str | None:
    """The personal link of an annotator who was not sent one, but came through an entrance.

    Not shown where an id alone has opened the assignment.
    """
    if is_opened_by_id(assignment):
        return None
    invitation = Invitation.objects.select_related("entrance").get(annotator=assignment.annotator)
    if invitation.entrance is None:
        return None
    if invitation.entrance.provider == Provider.LINK:  # the address at which they agreed
        return address_of("join", invitation.entrance.token, invitation.token)
    return personal_link(invitation.token)


def address_of(page: str, *tokens: str) -> str:
    """A page's whole address, to be kept."""
    return f"{settings.SITE_URL}{reverse(f'annotate:{page}', args=tokens)}"


def has_lost_place(where: Whereabouts) -> bool:
    """Whether somebody else has the place of an annotator who has not answered anything yet."""
    if where.state != AssignmentState.EXPIRED or where.n_pages_done:
        return False
    return is_displaced(Assignment.objects.with_study().get(pk=where.assignment_id))


def redirect_to_due(token: str) -> HttpResponseRedirect:
    """To the page that is due, whatever was asked for."""
    where = find_here(token)
    if where.takes_answers and where.due and not has_lost_place(where):
        page = "annotate:rate" if where.due.is_engaged else "annotate:engage"
        return redirect(page, token, where.due.position)
    if where.state == AssignmentState.SUBMITTED:
        return redirect("annotate:thanks", token)
    if step := find_due_step(find_assignment(token)):
        return redirect(f"annotate:{step}", token)
    return redirect("annotate:ended", token)
