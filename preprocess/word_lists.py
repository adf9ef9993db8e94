"""The languages for which simplemma has lists of words and lemmas."""

LISTED_AS = {"hr": "hbs", "sr": "hbs", "bs": "hbs", "sh": "hbs", "no": "nb"}


def listed_as(language: str) -> str:
    """Return the code that simplemma has for a language, or would have.

    >>> listed_as("hr"), listed_as("sr-Latn"), listed_as("sl")
    ('hbs', 'hbs', 'sl')
    """
    tag = language.lower().split("-")[0]
    return LISTED_AS.get(tag, tag)


def has_word_list(language: str) -> bool:
    """Return whether simplemma has lists for a language."""
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    return listed_as(language) in SUPPORTED_LANGUAGES
