"""The commitment to hidden gold: a digest that proves later that the gold was not changed."""

import hashlib
import hmac
from collections.abc import Mapping

SALT_BYTES = 32


def commit_to_gold(salt: bytes, gold: Mapping[str, bytes]) -> str:
    """Return the digest that is shown when the test data opens.

    Parameters
    ----------
    salt : bytes
        32 random bytes, kept secret until the gold is published: without them the gold of a small
        part could be found by trying.
    gold : mapping
        Language → the gold file.

    Returns
    -------
    str
        SHA-256 of the salt followed by the files in the order of their languages, in hexadecimal
        digits, as `cat salt.bin gold_fi.tsv gold_sl.tsv | sha256sum` computes it.

    Raises
    ------
    ValueError
        A salt of another length, or no gold.

    Examples
    --------
    >>> commit_to_gold(bytes(32), {"sl": b"b", "fi": b"a"})[:8]
    '4ee2c000'
    """
    if len(salt) != SALT_BYTES:
        raise ValueError(f"the salt has {len(salt)} bytes, not {SALT_BYTES}")
    if not gold:
        raise ValueError("the gold is missing")
    digest = hashlib.sha256(salt)
    for language in sorted(gold):
        digest.update(gold[language])
    return digest.hexdigest()


def is_gold_unchanged(commitment: str, salt: bytes, gold: Mapping[str, bytes]) -> bool:
    """Return whether a commitment was made with this salt and gold."""
    return hmac.compare_digest(commit_to_gold(salt, gold), commitment.lower())
