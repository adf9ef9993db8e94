"""Annotators' ids: the same throughout a release, and unlike those of any other release."""

import hashlib
import hmac
from collections.abc import Iterable

from postprocess.release.errors import ReleaseError

SHORTEST_KEY = 16


def make_pseudonyms(names: Iterable[str], key: str) -> dict[str, str]:
    """An id for each annotator, numbered in an order that only the key explains.

    Parameters
    ----------
    names : iterable of str
        What the annotators are called where the ratings come from.
    key : str
        A secret of 16 characters or more. The order is that of the names' HMAC-SHA256 under it,
        so that without the key an id tells nothing of a name, of its place among the names, or
        of the id in another release.

    Returns
    -------
    dict
        Name → A01, A02, …, in as many digits as the last one needs.

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
    """Raise ReleaseError for a key that could be guessed."""
    if len(key) < SHORTEST_KEY:
        raise ReleaseError(
            f"the key for the annotators' ids must have {SHORTEST_KEY} characters or more; make "
            'one with: python -c "import secrets; print(secrets.token_hex(16))"'
        )
