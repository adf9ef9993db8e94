"""The study that a page belongs to, found by the tokens in its address."""

from collections.abc import Mapping
from typing import Any

from surveys.models import Assignment, Entrance, Hit, Invitation, Study

# by the beginning of the route: the parameter, the table, and the way to the study
PATHS: dict[str, tuple[str, Any, str]] = {
    "survey/": ("token", Assignment, "study"),
    "invitation/": ("token", Invitation, "study"),
    "join/": ("token", Entrance, "study"),
    "mturk/": ("key", Hit, "batch__entrance__study"),
}


def find_study(route: str, parameters: Mapping[str, object]) -> Study | None:
    """Return the study of an annotators' page, or None if its address names none."""
    for start, (name, model, way) in PATHS.items():
        if route.startswith(start):
            found = model.objects.filter(**{name: parameters[name]})
            return Study.objects.filter(pk__in=found.values(way)).first()
    return None
