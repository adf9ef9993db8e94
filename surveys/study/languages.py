"""Languages of texts, by their code or name, and the digits they are written in."""

import re
from functools import lru_cache

from babel.core import Locale, UnknownLocaleError
from django.utils.translation import get_language

NAMED_IN_THEMSELVES = ("ar", "fa", "fi", "hr", "sl")  # the languages with default texts

PAIR = re.compile("([a-z]{2,3})-([a-z]{2,3})")
OTHER_NAMES = {"Slovene": "sl", "Farsi": "fa", "Castilian": "es", "Gaelic": "gd"}  # in English
USUAL_DIGITS = {"ar": "latn", "fa": "arabext"}  # in the languages that have a choice
DIGITS = {
    "arab": str.maketrans("0123456789.", "٠١٢٣٤٥٦٧٨٩٫"),
    "arabext": str.maketrans("0123456789.", "۰۱۲۳۴۵۶۷۸۹٫"),
}


def list_languages() -> list[tuple[str, str]]:
    """Return code and English name of the languages with a two-letter code."""
    names = Locale("en").languages.items()
    languages = [(code, name) for code, name in names if len(code) == 2]
    return sorted(languages, key=lambda language: language[1])


@lru_cache(maxsize=256)
def name_language(tag: str, language: str = "en") -> str | None:
    """Return a language's name in a language, with script or region, or None if it is unknown.

    Two codes in lower case are a pair of languages: regions are in upper case.

    >>> [name_language(tag) for tag in ("sl", "sr-Latn", "pt-BR", "not a tag", "en-ar")]
    ['Slovenian', 'Serbian (Latin)', 'Portuguese (Brazil)', None, 'English–Arabic']
    """
    if pair := PAIR.fullmatch(tag):
        names = [name_language(code) for code in pair.groups()]
        return "–".join(filter(None, names)) if all(names) else None
    try:
        return Locale.parse(tag, sep="-").get_display_name(language)
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
    native = {Locale(code).languages[code]: code for code in NAMED_IN_THEMSELVES}
    english = {name: code.replace("_", "-") for code, name in Locale("en").languages.items()}
    return {name.casefold(): code for name, code in {**native, **OTHER_NAMES, **english}.items()}


def write_digits(number: object) -> str:
    r"""Return a number, or a range, with minus signs in the digits of the active language.

    In writing from right to left a negative number keeps its own direction.

    >>> from django.utils.translation import override
    >>> with override("fa"):
    ...     write_digits(7), write_digits("2.5"), write_digits("-3")
    ('۷', '۲٫۵', '\u2066−۳\u2069')
    """
    language, _, chosen = (get_language() or "").partition("-u-nu-")
    system = chosen or USUAL_DIGITS.get(language, "")
    written = str(number).replace("-", "−").translate(DIGITS.get(system, {}))
    if language not in USUAL_DIGITS or "−" not in written:
        return written
    return f"\N{LEFT-TO-RIGHT ISOLATE}{written}\N{POP DIRECTIONAL ISOLATE}"
