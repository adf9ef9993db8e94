"""The contact for questions on pages that are shown instead of the one requested."""

from django.http import HttpRequest

from surveys.recruitment.addresses import find_study


def find_contact(request: HttpRequest) -> str:
    """Return the contact of the study that an annotators' address belongs to, or nothing."""
    found = request.resolver_match
    if found is None or found.namespace != "annotate":
        return ""
    study = find_study(found.route, found.kwargs)
    return study.contact if study else ""
