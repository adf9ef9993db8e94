"""The two pages of an item, in the survey, in practice and in a preview."""

from collections.abc import Callable
from typing import NamedTuple

from django.forms import Form
from django.http import QueryDict
from django.utils.html import escape
from django.utils.safestring import SafeString

from surveys.models import Study
from surveys.models.stimuli import MarkedText
from surveys.web.rendering.forms import EngagementForm, RatingForm
from surveys.web.rendering.study_page import Face


class ItemPage(NamedTuple):
    """One of the two pages of an item: its template and its form."""

    template: str
    make_form: Callable[[Face, QueryDict | None], Form]


def make_engagement_form(face: Face, sent: QueryDict | None) -> EngagementForm:
    """Two words, bound to what was sent."""
    return EngagementForm(sent, direction=face.text_direction)


def make_rating_form(face: Face, sent: QueryDict | None) -> RatingForm:
    """The scale of a study, bound to what was sent."""
    return RatingForm(
        sent,
        points=[point.value for point in face.scale],
        allows_unjudgeable=face.study.allows_unjudgeable,
    )


WORDS_PAGE = ItemPage("annotate/engage.html", make_engagement_form)
RATING_PAGE = ItemPage("annotate/rate.html", make_rating_form)


def describe_text(item: MarkedText, study: Study, *, is_marked: bool) -> dict[str, SafeString]:
    """Return a text as pages of a study show it: bare, or marked.

    With a marked text, whose targets are in bold, come the two words that the question names.
    """
    if not is_marked:
        return {"text": escape(item.text)}
    marked = "".join(
        f"<strong>{escape(piece)}</strong>" if is_target else escape(piece)
        for piece, is_target in item.parts
    )
    asked1, asked2 = map(escape, item.name_targets(study.question_forms))
    return {
        "text": SafeString(marked),  # nosec B703 # (each piece is escaped)
        "asked1": asked1,
        "asked2": asked2,
    }
