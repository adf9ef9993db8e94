"""Template tag for scores of shared tasks, in the unit of their track."""

from typing import Any

from django import template

from surveys.sharedtasks.boards.table import show_score
from surveys.sharedtasks.models import SharedTask

register = template.Library()
PERCENT_TRACKS = "_percent_tracks"


@register.simple_tag(takes_context=True)
def score(context: dict[str, Any], value: float | None, subtask: int) -> str:
    """Return a score as boards show it: in per cent or not, as its track says.

    The page's context has `shared_task`, whose tracks are read once a page.
    """
    kept: dict[str, Any] = context.render_context  # type: ignore[attr-defined]
    if PERCENT_TRACKS not in kept:
        task: SharedTask = context["shared_task"]
        percent = task.tracks.filter(is_percent=True)
        kept[PERCENT_TRACKS] = {*percent.values_list("number", flat=True)}
    return show_score(value, is_percent=int(subtask) in kept[PERCENT_TRACKS])
