"""Where the pages of annotators are, and what people do on those they arrive at."""

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.models import Assignment, Entrance, Invitation

PROLIFIC = {"PROLIFIC_PID": "5f" * 12, "STUDY_ID": "6a" * 12, "SESSION_ID": "7b" * 12}
RIGHT = {"question0": "1", "question1": "2", "question2": "0"}  # of the default check
WRONG = {**RIGHT, "question1": "0"}


def page(name: str, assignment: Assignment, *position: int) -> str:
    """The address of a page of an assignment."""
    return reverse(f"annotate:{name}", args=[assignment.token, *position])


def welcome(invitation: Invitation) -> str:
    """The address of a personal link."""
    return reverse("annotate:welcome", args=[invitation.token])


def arrive(entrance: Entrance) -> str:
    """The address of an entrance."""
    return reverse("annotate:arrive", args=[entrance.token])


def hidden_fields(answer: HttpResponse) -> dict[str, str]:
    """The hidden inputs of a page."""
    return dict(
        re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', answer.content.decode())
    )


def squeeze(answer: HttpResponse) -> str:
    """Return a page without whitespace around its tags."""
    text = re.sub(r"\s+", " ", answer.content.decode())
    return re.sub(r" (?=[<>])|(?<=>) ", "", text)


def agree(client: Client, url: str) -> Any:
    """Read the page at an address and agree to what it says; the answer to that."""
    return client.post(url.split("?")[0], {**hidden_fields(client.get(url)), "answer": "agree"})


def withdraw(client: Client, assignment: Assignment, **sent: str) -> Any:
    """Ask to withdraw, and confirm it on the page that asks once more; the answer to that."""
    asked = client.post(page("withdraw", assignment), sent)
    if asked.status_code != 200:
        return asked
    return client.post(page("withdraw", assignment), hidden_fields(asked), follow=True)


def due(client: Client, assignment: Assignment) -> Any:
    """The page to which the link of an assignment leads."""
    return client.get(page("next", assignment)).url
