"""What a program asks for under a key is done once, and answered the same when asked again."""

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

LONGEST_KEY = 255
ANSWERS_KEPT = timedelta(hours=24)  # to be given again


class Answer(NamedTuple):
    """What a request is answered with; whether it was answered before."""

    status: int
    content: Any
    is_repeated: bool = False


def answer_once(user: User, key: str, asked: object, act: Callable[[], tuple[int, Any]]) -> Answer:
    """Do what somebody asks for under a key, unless it was done; what it refuses is not kept.

    Whoever asks at the same time waits and is given the same answer: the database holds one
    answer a key. Raises KeyReused where something else was asked for under the key.
    """
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    now = timezone.now()
    IdempotencyRecord.objects.filter(created_at__lt=now - ANSWERS_KEPT).delete()
    if known := _recall(user, key, digest):
        return known
    try:
        with transaction.atomic():
            record = IdempotencyRecord.objects.create(
                user=user, key=key, digest=digest, status=0, answer={}
            )
            record.status, record.answer = act()
            record.save(update_fields=["status", "answer"])
    except IntegrityError:  # somebody asked at the same time
        if known := _recall(user, key, digest):
            return known
        raise
    return Answer(record.status, record.answer)


def _recall(user: User, key: str, digest: str) -> Answer | None:
    record = IdempotencyRecord.objects.filter(user=user, key=key).first()
    if record is None:
        return None
    if record.digest != digest:
        raise KeyReused(
            "Something else was asked for under this Idempotency-Key. Choose another key for "
            "another request."
        )
    return Answer(record.status, record.answer, is_repeated=True)
