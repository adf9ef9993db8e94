"""The practice items: which one a page shows, and the annotator's rating on the scale."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.utils.http import urlencode

from surveys.models import Study, StudyText
from surveys.models.study import write_point
from surveys.study.exercises import PracticeItem, read_practice
from surveys.web.rendering.item_pages import WORDS_PAGE, describe_item
from surveys.web.rendering.markdown import PlacedPoint, name_range, render_markdown
from surveys.web.rendering.study_page import StudyDisplay


class Placement(NamedTuple):
    """A rating marked on the scale with the researchers'; `own` is empty if there is none."""

    points: list[PlacedPoint]
    own: str
    ours: str


def find_item_number(request: HttpRequest, items: Sequence[PracticeItem]) -> int:
    """Return the number of the practice item that an address asks for, from 1."""
    text = request.GET.get("item", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1
    return min(max(number, 1), max(len(items), 1))


def write_query(number: int, **chosen: str) -> str:
    """Return the query string for a practice item and its rating."""
    query: dict[str, str | int] = {**({"item": number} if number > 1 else {}), **chosen}
    return f"?{urlencode(query)}" if query else ""


def describe_sample(study: Study, practice: StudyText) -> dict[str, Any]:
    """Return the template values of the first practice text, bare, if page 1 shows one."""
    items = read_practice(practice.body, study.item_rules) if study.kind.n_texts == 1 else ()
    return describe_item(items[0].item, study, is_marked=False) if items else {}


def describe_practice(
    face: StudyDisplay, study: Study, item: PracticeItem, template: str, request: HttpRequest
) -> dict[str, Any]:
    """Return the template values of a page of a practice item."""
    return {
        **describe_item(item.item, study, is_marked=template != WORDS_PAGE.template),
        "item": item,
        "is_practice": True,
        "explanation": render_markdown(item.explanation),
        "placement": place(face, study, item, request.GET.get("chosen", "")),
    }


def place(face: StudyDisplay, study: Study, item: PracticeItem, chosen: str) -> Placement | None:
    """Mark a rating and the researchers' on the scale; None if the item does not name theirs."""
    scale = study.scale_points
    ours = item.find_ours(scale)
    if not ours:
        return None
    points = [
        PlacedPoint(write_point(point), write_point(point) == chosen, point in ours)
        for point in scale
    ]
    named = [face.name_point(point.value) for point in points if point.is_ours]
    own = next((face.name_point(point.value) for point in points if point.is_own), "")
    return Placement(points, own, name_range(named))
