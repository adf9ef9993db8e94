"""Whether a text is in a language, by py3langid."""

from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

# Standards of one language that no classifier tells apart in a short text.
GROUPS = (frozenset({"bs", "hr", "sh", "sr"}), frozenset({"nb", "nn", "no"}))


def looks_like(text: str, language: str) -> bool:
    """Return whether a text is probably in a language; true for languages that are not known.

    >>> looks_like("To je sasvim obična rečenica o vremenu.", "hr")
    True
    >>> looks_like("This is an ordinary sentence about the weather.", "hr")
    False
    """
    alike = next((group for group in GROUPS if language in group), frozenset({language}))
    if not alike & _known():
        return True
    found, _ = _identifier().classify(text)
    return bool(found in alike)


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE)


@cache
def _known() -> frozenset[str]:
    return frozenset(_identifier().nb_classes)
