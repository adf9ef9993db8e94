"""Where the pages of annotators are, and what people do on those they arrive at."""

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.models import Assignment


def page(name: str, assignment: Assignment, *position: int) -> str:
    """The address of a page of an assignment."""
    return reverse(f"annotate:{name}", args=[assignment.token, *position])


def hidden_fields(answer: HttpResponse) -> dict[str, str]:
    """The hidden inputs of a page."""
    return dict(
        re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', answer.content.decode())
    )


def agree(client: Client, url: str) -> Any:
    """Read the page at an address and agree to what it says; the answer to that."""
    return client.post(url.split("?")[0], {**hidden_fields(client.get(url)), "answer": "agree"})
