"""The pages of items, put together from what is the same for a whole study and what is not.

A template is rendered once for a revision of a study, with a mark wherever something of the
annotator or of the text will stand. A page then costs a join of strings instead of a rendering,
which is most of what it would cost (`docs/performance.md`). Pages with a fault are rendered whole.
"""

import re
import secrets
import time
from functools import lru_cache

from django.forms import Form
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString

from surveys.models.due import DueItem, Whereabouts
from surveys.study.protocol import MOST_KEPT
from surveys.web.rendering.forms import repeat_visit
from surveys.web.rendering.item_pages import RATING_PAGE, ItemPage, describe_text
from surveys.web.rendering.study_page import face_of

NAMES = ("text", "asked1", "asked2", "progress", "token", "shown")
MOST_PROGRESS = 10_000
_SECRET = secrets.token_hex(8)  # so that no text can hold a mark
_MARK = re.compile(f"hole-{_SECRET}-([a-z0-9]+)-")


def render_item(
    page: ItemPage, where: Whereabouts, item: DueItem, token: str, faulty: Form | None
) -> str:
    """A page of an item as HTML; with the form that was sent if that had faults."""
    face = face_of(where.study_id, where.revision)
    values = {
        **describe_text(item, face.study, is_marked=page is RATING_PAGE),
        "progress": _render_progress(
            face.interface,
            item.position,
            where.n_items,
            where.n_pages_done,
            face.count_minutes(where.n_pages - where.n_pages_done),
        ),
        "token": escape(token),
        "shown": str(time.time_ns() // 1_000_000),
    }
    if faulty:
        given_back = {"form": faulty, "face": face, **values, **repeat_visit(faulty.data)}
        return render_to_string(page.template, given_back)
    pieces = list(_make_shell(page, where.study_id, where.revision))
    pieces[1::2] = [values[name] for name in pieces[1::2]]
    return "".join(pieces)


@lru_cache(maxsize=2 * MOST_KEPT)
def _make_shell(page: ItemPage, study_id: int, revision: str) -> tuple[str, ...]:
    """What stands between the marks, and the names of the marks, in turn."""
    face = face_of(study_id, revision)
    marks = {  # of letters, digits and hyphens alone
        name: SafeString(f"hole-{_SECRET}-{name}-")  # nosec B703
        for name in NAMES
    }
    context = {"form": page.make_form(face, None), "face": face, **marks}
    return tuple(_MARK.split(render_to_string(page.template, context)))


@lru_cache(maxsize=MOST_PROGRESS)
def _render_progress(
    interface: str, position: int, n_items: int, n_pages_done: int, minutes_left: int
) -> SafeString:
    """Where one is. The language is the one that is spoken; it is given to tell copies apart."""
    return render_to_string(
        "annotate/_progress.html",
        {
            "position": position,
            "n_items": n_items,
            "n_pages_done": n_pages_done,
            "n_pages": 2 * n_items,
            "minutes_left": minutes_left,
        },
    )
