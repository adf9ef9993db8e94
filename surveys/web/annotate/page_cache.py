"""Cached rendering of item pages.

A template is rendered once per revision of a study, with a mark in place of each value that
depends on the annotator or the text. A page is then a join of strings instead of a rendering,
which would take most of its time (`docs/performance.md`). Forms with errors are rendered whole.
"""

import re
import secrets
import time
from functools import lru_cache

from django.forms import Form
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString

from surveys.participation.due_item import AssignmentProgress, DueItem
from surveys.study.protocol import CACHE_SIZE
from surveys.web.rendering.item_pages import (
    RATING_PAGE,
    ItemPage,
    describe_text,
    render_progress,
    repeat_visit,
)
from surveys.web.rendering.study_page import display_of

NAMES = ("text", "asked1", "asked2", "progress", "token", "shown")
_SECRET = secrets.token_hex(8)  # so that no text can hold a mark
_MARK = re.compile(f"hole-{_SECRET}-([a-z0-9]+)-")


def render_item(
    page: ItemPage, where: AssignmentProgress, item: DueItem, token: str, refused: Form | None
) -> str:
    """Return an item page as HTML, with the errors of a refused form if there is one."""
    face = display_of(where.study_id, where.revision)
    values = {
        **describe_text(item, face.study, is_marked=page is RATING_PAGE),
        "progress": render_progress(face, item.position, where.n_items, where.n_pages_done),
        "token": escape(token),
        "shown": str(time.time_ns() // 1_000_000),
    }
    if refused:
        given_back = {"form": refused, "face": face, **values, **repeat_visit(refused.data)}
        return render_to_string(page.template, given_back)
    pieces = list(_make_shell(page, where.study_id, where.revision))
    pieces[1::2] = [values[name] for name in pieces[1::2]]
    return "".join(pieces)


@lru_cache(maxsize=2 * CACHE_SIZE)
def _make_shell(page: ItemPage, study_id: int, revision: str) -> tuple[str, ...]:
    """Return the HTML between the marks and the names of the marks, alternating."""
    face = display_of(study_id, revision)
    marks = {  # of letters, digits and hyphens alone
        name: SafeString(f"hole-{_SECRET}-{name}-")  # nosec B703
        for name in NAMES
    }
    context = {"form": page.make_form(face, None), "face": face, **marks}
    return tuple(_MARK.split(render_to_string(page.template, context)))
