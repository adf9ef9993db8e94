"""Opening a HIT as a worker who has accepted it."""

from typing import Any

from django.urls import reverse

from surveys.crowd.models import Hit
from tests.factories.batches import WORKER

RETURN = "Please return this HIT. There is nothing to hand in."


def enter(hit: Hit, **parameters: str) -> str:
    """Return the URL in the frame of a worker who has accepted the HIT."""
    sent = {
        "hitId": hit.hit_id, "assignmentId": "3ASSIGNMENT1", "workerId": WORKER,
        "turkSubmitTo": "http://127.0.0.1:8800/", **parameters,
    }  # fmt: skip
    query = "&".join(f"{name}={value}" for name, value in sent.items() if value)
    return f"{reverse('annotate:enter', args=[hit.reservation.token])}?{query}"


def refusal(client: Any, address: str) -> str:
    """Return the text of a refusal, a page without a form after which nothing is stored."""
    answer = client.get(address)
    content = str(answer.content.decode())
    assert answer.status_code == 409
    assert "<form" not in content
    assert RETURN in content
    return content
