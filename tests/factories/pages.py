"""Pages of a study in the console: their addresses, and their texts with single spaces."""

from django.test import Client
from django.urls import reverse

from surveys.models import Study


def page(name: str, study: Study, *more: object) -> str:
    return reverse(f"console:{name}", args=[study.slug, *more])


def read(client: Client, name: str, study: Study, *more: object) -> str:
    """Return a page that can be read."""
    answer = client.get(page(name, study, *more))
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())
