"""The study that a page belongs to, found by the tokens in its address."""

from collections.abc import Mapping
from typing import Any

from surveys.models import Assignment, Entrance, Invitation, Reservation, Study

# by the beginning of the route: the parameter with the token, and the table
PATHS: dict[str, tuple[str, Any]] = {
    "survey/": ("token", Assignment),
    "invitation/": ("token", Invitation),
    "join/": ("token", Entrance),
    "mturk/": ("key", Reservation),
}


def find_study(route: str, parameters: Mapping[str, object]) -> Study | None:
    """Return the study of an annotators' page, or None if its address names none."""
    for start, (name, model) in PATHS.items():
        if route.startswith(start):
            rows = model.objects.filter(token=parameters[name])
            return Study.objects.filter(pk__in=rows.values("study")).first()
    return None
