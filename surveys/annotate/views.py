"""What an annotator sees. The link is all that identifies; see `docs/survey.md`."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from surveys.annotate.forms import EngagementForm, RatingForm
from surveys.answering import record_engagement, record_rating
from surveys.assigning import count_places_left, start_assignment
from surveys.models import Assignment, Invitation, Response, Study

HTTP_UNPROCESSABLE = 422


def annotator_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page without a cookie, hence without a CSRF token.

    No copy of it is kept, so that "back" asks again and leads to what is due. Only the copy of a
    refused form is: without it "back" would end on the browser's own "confirm resubmission".
    """

    @wraps(view)
    def page(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        is_refused = response.status_code == HTTP_UNPROCESSABLE
        response["Cache-Control"] = "private, no-cache" if is_refused else "private, no-store"
        return response

    return csrf_exempt(require_http_methods(["GET", "HEAD", "POST"])(page))


@annotator_page
def index(request: HttpRequest) -> HttpResponse:
    """For whoever comes without a link."""
    return render(request, "annotate/index.html")


@annotator_page
def welcome(request: HttpRequest, token: str) -> HttpResponse:
    """What awaits the holder of a personal link; a POST starts. Looking starts nothing."""
    invitation = get_object_or_404(Invitation.objects.with_study(), token=token)
    _speak_language_of(invitation.study)
    if request.method == "POST":
        return redirect("annotate:next", start_assignment(invitation).token)
    if assignment := Assignment.objects.started_from(invitation):
        return redirect("annotate:next", assignment.token)
    page = {"n_places_left": count_places_left(invitation.study)}
    return render(request, "annotate/welcome.html", page)


@annotator_page
def next_page(request: HttpRequest, token: str) -> HttpResponse:
    """To the page that is due."""
    return _redirect_to_due(token)


@annotator_page
def engage(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Page 1 of an item: the bare text and two words it inspires."""
    response = Response.objects.due(token)
    if response is None or response.position != position or response.engaged_at:
        return _redirect_to_due(token)
    _speak_language_of(response.study)
    form = EngagementForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        record_engagement(response, **form.cleaned_data)
        return redirect("annotate:rate", token, position)
    return _render_form(request, "annotate/engage.html", form, response)


@annotator_page
def rate(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Page 2 of an item: the two words and the scale. Not to be had before page 1 is accepted."""
    response = Response.objects.due(token)
    if response is None or response.position != position or not response.engaged_at:
        return _redirect_to_due(token)
    _speak_language_of(response.study)
    form = RatingForm(request.POST if request.method == "POST" else None, study=response.study)
    if form.is_valid():
        record_rating(response, form.cleaned_data["rating"])
        return _redirect_to_due(token)
    return _render_form(request, "annotate/rate.html", form, response)


@annotator_page
def thanks(request: HttpRequest, token: str) -> HttpResponse:
    """The end, for whoever has answered everything."""
    if Response.objects.due(token):
        return _redirect_to_due(token)
    assignment = get_object_or_404(Assignment.objects.with_study(), token=token)
    _speak_language_of(assignment.questionnaire.block.study)
    return render(request, "annotate/thanks.html")


def _redirect_to_due(token: str) -> HttpResponseRedirect:
    response = Response.objects.due(token)
    if response is None:
        return redirect("annotate:thanks", token)
    page = "annotate:rate" if response.engaged_at else "annotate:engage"
    return redirect(page, token, response.position)


def _render_form(
    request: HttpRequest, template: str, form: Form, response: Response
) -> HttpResponse:
    """A page with a form; one that comes back with a fault in it is not an accepted answer."""
    status = HTTP_UNPROCESSABLE if form.is_bound else 200
    return render(request, template, {"form": form, "response": response}, status=status)


def _speak_language_of(study: Study) -> None:
    """Use the study's language where the interface is translated into it, else the site's."""
    language = study.language.split("-")[0]
    if language in dict(settings.LANGUAGES):
        translation.activate(language)
