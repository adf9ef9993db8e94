"""Languages of texts, by their code or by their name."""

from functools import lru_cache

from babel.core import Locale, UnknownLocaleError

NAMED_IN_THEMSELVES = ("ar", "fa", "fi", "hr", "sl")  # the languages with default texts

OTHER_NAMES = {"Slovene": "sl", "Farsi": "fa", "Castilian": "es", "Gaelic": "gd"}  # in English


def list_languages() -> list[tuple[str, str]]:
    """Return code and English name of the languages with a two-letter code."""
    names = Locale("en").languages.items()
    found = [(code, name) for code, name in names if len(code) == 2]
    return sorted(found, key=lambda language: language[1])


@lru_cache(maxsize=256)
def name_language(tag: str) -> str | None:
    """Return the English name of a language, with its script or region, or None if it is unknown.

    >>> [name_language(tag) for tag in ("sl", "sr-Latn", "pt-BR", "not a tag")]
    ['Slovenian', 'Serbian (Latin)', 'Portuguese (Brazil)', None]
    """
    try:
        return Locale.parse(tag, sep="-").get_display_name("en")
    except (UnknownLocaleError, ValueError):
        return None


def find_language(written: str) -> str:
    """Return the code of a language given by name, in any letter case; any other text as it is.

    >>> [find_language(text) for text in ("Croatian", "hrvatski", " hr ", "Brazilian Portuguese")]
    ['hr', 'hr', 'hr', 'pt-BR']
    >>> find_language("slovene")
    'sl'
    """
    return _codes_by_name().get(written.strip().casefold(), written.strip())


@lru_cache(maxsize=1)
def _codes_by_name() -> dict[str, str]:
    own = {Locale(code).languages[code]: code for code in NAMED_IN_THEMSELVES}
    english = {name: code.replace("_", "-") for code, name in Locale("en").languages.items()}
    return {name.casefold(): code for name, code in {**own, **OTHER_NAMES, **english}.items()}
