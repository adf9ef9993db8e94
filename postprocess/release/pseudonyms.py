"""Annotators' ids: the same throughout a release, different in every other release."""

import hashlib
import hmac
from collections.abc import Iterable

from postprocess.release import ReleaseError

MIN_KEY_LENGTH = 16


def make_pseudonyms(names: Iterable[str], key: str) -> dict[str, str]:
    """Return an id for each annotator: A01, A02, …, with as many digits as the largest needs.

    Ids are numbered in the order of the names' HMAC-SHA256 with the key, a secret of 16 characters
    or more, so that without it an id reveals neither the name, nor its position among the names,
    nor the id in another release. Raises ReleaseError for a shorter key.

    >>> make_pseudonyms(["ana", "bor"], "a key for an example")
    {'bor': 'A01', 'ana': 'A02'}
    """
    check_key(key)
    secret = key.encode()
    order = sorted(set(names), key=lambda name: hmac.digest(secret, name.encode(), hashlib.sha256))
    width = max(2, len(str(len(order))))
    return {name: f"A{number:0{width}}" for number, name in enumerate(order, 1)}


def check_key(key: str) -> None:
    """Raise ReleaseError for a key that is too short."""
    if len(key) < MIN_KEY_LENGTH:
        raise ReleaseError(
            f"the key for the annotators' ids must have {MIN_KEY_LENGTH} characters or more; "
            'create one with: python -c "import secrets; print(secrets.token_hex(16))"'
        )
