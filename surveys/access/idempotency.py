"""Idempotency keys: a repeated API request is performed once and gets the same response."""

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from surveys.errors import KeyReused
from surveys.models import IdempotencyRecord

MAX_KEY_LENGTH = 255
RETENTION = timedelta(hours=24)  # of responses


class Answer(NamedTuple):
    """A response, and whether it repeats a stored response."""

    status: int
    content: Any
    is_repeated: bool = False


def answer_once(user: User, key: str, body: object, act: Callable[[], tuple[int, Any]]) -> Answer:
    """Perform a request and store its response under a key, or return the stored response.

    A simultaneous request with the same key waits and gets the same response. Refusals are not
    stored. Raises KeyReused if the key was used for a different request.
    """
    if stored := find_answer(user, key, body):
        return stored
    digest = _digest(body)
    try:
        with transaction.atomic():
            record = IdempotencyRecord.objects.create(
                user=user, key=key, digest=digest, status=0, answer={}
            )
            record.status, record.answer = act()
            record.save(update_fields=["status", "answer"])
    except IntegrityError:  # a simultaneous request
        if stored := _recall(user, key, digest):
            return stored
        raise
    return Answer(record.status, record.answer)


def find_answer(user: User, key: str, body: object) -> Answer | None:
    """Return the response that is stored under a key, or None.

    Raises KeyReused if the key was used for a different request.
    """
    outdated = IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - RETENTION)
    outdated.delete()
    return _recall(user, key, _digest(body))


def _digest(body: object) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _recall(user: User, key: str, digest: str) -> Answer | None:
    record = IdempotencyRecord.objects.filter(user=user, key=key).first()
    if record is None:
        return None
    if record.digest != digest:
        raise KeyReused(
            "This Idempotency-Key was used for a different request. Use a new key for a new "
            "request."
        )
    return Answer(record.status, record.answer, is_repeated=True)
