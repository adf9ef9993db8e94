"""The two pages of an item, in the survey, in practice and in a preview."""

from collections.abc import Callable
from typing import NamedTuple

from django.forms import Form
from django.http import QueryDict
from django.utils.html import escape
from django.utils.safestring import SafeString

from surveys.models.stimuli import MarkedText
from surveys.presenting.faces import Face
from surveys.presenting.forms import EngagementForm, RatingForm


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


def describe_text(item: MarkedText, *, is_marked: bool) -> dict[str, SafeString]:
    """A text as pages show it: bare, or with its targets in bold, and named."""
    if not is_marked:
        return {"text": escape(item.text)}
    marked = "".join(
        f"<strong>{escape(piece)}</strong>" if is_target else escape(piece)
        for piece, is_target in item.parts
    )
    return {
        "text": SafeString(marked),  # nosec B703 # (each piece is escaped)
        "form1": escape(item.form1),
        "form2": escape(item.form2),
    }
