"""The contact for questions on pages that are shown instead of the one requested."""

from django.http import HttpRequest

from surveys.recruitment.addresses import find_study


def find_contact(request: HttpRequest) -> str:
    """Return the contact of the study that an annotators' address belongs to, or nothing."""
    match = request.resolver_match
    if match is None or match.namespace != "annotate":
        return ""
    study = find_study(match.route, match.kwargs)
    return study.contact if study else ""
