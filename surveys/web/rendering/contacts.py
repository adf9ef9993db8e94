"""The contact for questions on pages that are shown instead of the one requested."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from surveys.models import Assignment, Entrance, Invitation, Reservation, Study

# the parameter with the token, and its table, by the beginning of the route (any for an app's page)
PATHS: dict[str, tuple[str, Any]] = {
    "survey/": ("token", Assignment),
    "invitation/": ("token", Invitation),
    "join/": ("token", Entrance),
    "": ("reservation", Reservation),
}


def find_study(route: str, parameters: Mapping[str, object]) -> Study | None:
    """Return the study of an annotators' page, or None if its address names none."""
    for start, (name, model) in PATHS.items():
        if name in parameters and route.startswith(start):
            rows = model.objects.filter(token=parameters[name])
            return Study.objects.filter(pk__in=rows.values("study")).first()
    return None


def find_contact(request: HttpRequest) -> str:
    """Return the contact of the study that an annotators' address belongs to, or nothing."""
    match = request.resolver_match
    if match is None or match.namespace != "annotate":
        return ""
    study = find_study(match.route, match.kwargs)
    return study.contact if study else ""
