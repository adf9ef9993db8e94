"""Annotators' ids: the same throughout a release, different in every other release."""

import hashlib
import hmac
from collections.abc import Iterable

from postprocess.release import ReleaseError

MIN_KEY_LENGTH = 16


def make_pseudonyms(names: Iterable[str], key: str) -> dict[str, str]:
    """Return an id for each annotator, numbered in an order that depends on the key.

    Parameters
    ----------
    names : iterable of str
        The annotators' names in the collected ratings.
    key : str
        A secret of 16 characters or more. Ids are numbered in the order of the names'
        HMAC-SHA256 with this key, so that without it an id reveals neither the name, nor its
        position among the names, nor the id in another release.

    Returns
    -------
    dict
        Name → A01, A02, …, with as many digits as the largest number needs.

    Raises
    ------
    ReleaseError
        The key is too short.

    Examples
    --------
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
