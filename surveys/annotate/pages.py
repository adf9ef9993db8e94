"""What all pages of annotators have in common: no cookie, no kept copy, the study's language."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, wraps

from babel import Locale
from csp.utils import build_policy
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from surveys.annotate.markdown import render_markdown
from surveys.errors import TextChanged
from surveys.introducing import find_due_step
from surveys.models import (
    Assignment,
    AssignmentState,
    Invitation,
    Provider,
    Study,
    StudyText,
    TextKind,
)
from surveys.models.due import Whereabouts, find_whereabouts
from surveys.models.study import write_point
from surveys.protocol import MOST_KEPT, protocol_of
from surveys.recruiting import personal_link
from surveys.wording import default_body

HTTP_UNPROCESSABLE = 422


@dataclass(frozen=True)
class ScalePoint:
    """A point of the scale as pages show it, with the language of its label."""

    value: str
    label: str
    language: str


@dataclass(frozen=True)
class Face:
    """What every page of a study shows alike, made once for a revision of the study."""

    study: Study
    interface: str
    text_language: str
    text_direction: str
    scale: tuple[ScalePoint, ...]
    instructions: "RenderedText"

    @property
    def has_many_labels(self) -> bool:
        """Whether more than the two ends of the scale are named."""
        return sum(bool(point.label) for point in self.scale) > 2

    @property
    def digit_keys(self) -> tuple[str, str] | None:
        """The keys of the lowest and the highest point; None where some point is no digit."""
        ends = self.scale[0].value, self.scale[-1].value
        return ends if all(len(point.value) == 1 for point in self.scale) else None

    def count_minutes(self, n_pages: int) -> int:
        """About how many minutes that many pages take; at least one."""
        return max(1, round(n_pages * self.study.seconds_per_item / 2 / 60))


@dataclass(frozen=True)
class RenderedText:
    """A text of a study as HTML, with the language it is in."""

    html: SafeString
    language: str
    direction: str


@lru_cache(maxsize=MOST_KEPT)
def face_of(study_id: int, revision: str) -> Face:
    """What the pages of a study show alike as of a revision."""
    protocol = protocol_of(study_id, revision)
    study = protocol.study
    language = study.language.split("-")[0]
    interface = language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    points = protocol.scale_points
    with translation.override(interface):
        ends = {points[0]: _("not similar at all"), points[-1]: _("nearly the same")}
    given = study.scale_labels
    return Face(
        study=study,
        interface=interface,
        text_language=study.language,
        text_direction=direction_of(study.language),
        scale=tuple(
            ScalePoint(value, given[value], study.language)
            if value in given
            else ScalePoint(value, ends.get(point, ""), interface)
            for point, value in zip(points, map(write_point, points), strict=True)
        ),
        instructions=render_text(study, protocol.instructions),
    )


def render_text(study: Study, text: StudyText) -> RenderedText:
    """A text as HTML; Cosima's default may be in English where the study is not."""
    is_default = text.body == default_body("en", TextKind(text.kind))
    language = settings.LANGUAGE_CODE if is_default else study.language
    return RenderedText(render_markdown(text.body), language, direction_of(language))


def direction_of(language: str) -> str:
    """The way a language is written: ltr or rtl."""
    return Locale.parse(language, sep="-").text_direction


def speak(face: Face) -> None:
    """Use the interface in the study's language where it is translated, else the site's."""
    translation.activate(face.interface)


def annotator_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page without a cookie, hence without a CSRF token.

    No copy of it is kept, so that "back" asks again and leads to what is due. Only the copy of a
    refused form is: without it "back" would end on the browser's own "confirm resubmission".
    """

    @wraps(view)
    def page(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        request.POST  # noqa: B018  (what is left unread makes the server drop the connection)
        response = _answer_again_if_cut_off(view, request, *args, **kwargs)
        is_refused = response.status_code == HTTP_UNPROCESSABLE
        response["Cache-Control"] = "private, no-cache" if is_refused else "private, no-store"
        response["Content-Security-Policy"] = _content_policy()
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
    """The personal link of an annotator who was not sent one, but came through an entrance."""
    invitation = Invitation.objects.select_related("entrance").get(annotator=assignment.annotator)
    if invitation.entrance is None:
        return None
    if invitation.entrance.provider == Provider.LINK:  # the address at which they agreed
        return address_of("join", invitation.entrance.token, invitation.token)
    return personal_link(invitation.token)


def address_of(page: str, *tokens: str) -> str:
    """A page's whole address, to be kept."""
    return f"{settings.SITE_URL}{reverse(f'annotate:{page}', args=tokens)}"


def redirect_to_due(token: str) -> HttpResponseRedirect:
    """To the page that is due, whatever was asked for."""
    where = find_here(token)
    if where.takes_answers and where.due:
        page = "annotate:rate" if where.due.is_engaged else "annotate:engage"
        return redirect(page, token, where.due.position)
    if where.state == AssignmentState.SUBMITTED:
        return redirect("annotate:thanks", token)
    if step := find_due_step(find_assignment(token)):
        return redirect(f"annotate:{step}", token)
    return redirect("annotate:ended", token)
