"""Answers with archives: the kit of a phase, and bundles."""

from django.http import HttpResponse


def send_kit(content: bytes, name: str) -> HttpResponse:
    """Return a zip archive as an attachment, given its name without the ending."""
    answer = HttpResponse(content, content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
