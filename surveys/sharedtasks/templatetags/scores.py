"""Template tag for scores of shared tasks, in the unit of their track."""

from typing import Any

from django import template

from surveys.sharedtasks.models import SharedTask
from surveys.templatetags.figures import figure

register = template.Library()
PERCENT_TRACKS = "_percent_tracks"


@register.simple_tag(takes_context=True)
def score(context: dict[str, Any], value: float | None, subtask: int) -> str:
    """Return a share of 1 with three decimals, or in per cent with one, as its track is shown.

    The page's context has `shared_task`, whose tracks are read once a page.
    """
    kept: dict[str, Any] = context.render_context  # type: ignore[attr-defined]
    if PERCENT_TRACKS not in kept:
        task: SharedTask = context["shared_task"]
        percent = task.tracks.filter(is_percent=True)
        kept[PERCENT_TRACKS] = {*percent.values_list("number", flat=True)}
    if value is None or int(subtask) not in kept[PERCENT_TRACKS]:
        return figure(value, 3)
    return figure(100 * value, 1)
