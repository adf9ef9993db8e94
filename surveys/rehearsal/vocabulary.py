"""The words of texts, from which scripted annotators choose."""

import re
from collections.abc import Iterable


def list_words(texts: Iterable[str]) -> list[str]:
    """Return the distinct words of four letters or more, sorted."""
    return sorted({word.lower() for text in texts for word in re.findall(r"[^\W\d_]{4,}", text)})
