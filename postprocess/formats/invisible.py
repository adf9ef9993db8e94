"""Invisible characters that change the direction of a text or split a word for programs.

Reported are directional overrides, embeddings and isolates, zero-width spaces and joiners, byte
order marks, soft hyphens, fillers and tags. Characters that a script needs are not reported:

- the joiner and the non-joiner after a letter of Arabic, Syriac, Mongolian, N'Ko and the scripts
  of India and of South East Asia, and the joiner after a symbol, as in emoji;
- the zero-width space after a letter of Thai, Lao, Khmer, Burmese or Tibetan, which have no
  spaces between words;
- directional marks (U+200E, U+200F, U+061C) in a text with letters written from right to left.
"""

import re
import unicodedata
from collections.abc import Iterator

CANDIDATES = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
JOINERS, SPACE = "\u200c\u200d", "\u200b"
MARKS = "\u200e\u200f\u061c"
FROM_THE_RIGHT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
JOINING = re.compile(
    "[\u0600-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u1aaf\u1b00-\u1bff\ua800-\uabff"
    "\U00010a00-\U00011fff]"
)
UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u19e0-\u19ff\u1a20-\u1aaf]")
MOST_NAMED = 5


def list_invisible(text: str) -> list[str]:
    r"""Return the reported characters in a text, each once, in order of occurrence.

    >>> list_invisible("wa\u200bter \u202eice"), list_invisible("می\u200cخواهم")
    (['\u200b', '\u202e'], [])
    """
    return list(dict.fromkeys(_find_invisible(text)))


def describe_invisible(characters: list[str]) -> str:
    r"""Return the Unicode names of characters.

    >>> describe_invisible(["\u200b"])
    'ZERO WIDTH SPACE (U+200B)'
    """
    names = [f"{unicodedata.name(c, 'no name')} (U+{ord(c):04X})" for c in characters[:MOST_NAMED]]
    n_more = len(characters) - len(names)
    return ", ".join([*names, *([f"{n_more} more"] if n_more else [])])


def remove_invisible(text: str) -> str:
    r"""Return a text without invisible characters, for comparisons.

    >>> remove_invisible("wa\u200bter")
    'water'
    """
    return text if text.isascii() else CANDIDATES.sub("", text)


def fold(text: str) -> str:
    r"""Return a text without invisible characters and differences of case, for comparisons.

    >>> fold("Wa\u200bter"), fold("E\u0301") == fold("\u00e9")
    ('water', True)
    """
    return unicodedata.normalize("NFC", remove_invisible(text).casefold())


def _find_invisible(text: str) -> Iterator[str]:
    if text.isascii():
        return
    for found in CANDIDATES.finditer(text):
        character, before = found[0], text[max(found.start() - 1, 0) : found.start()]
        if not _is_needed(character, before, text):
            yield character


def _is_needed(character: str, before: str, text: str) -> bool:
    """Return whether a text's script needs a character after the character before it."""
    if character in JOINERS:
        is_symbol = unicodedata.category(before) in ("So", "Sk", "Mn") if before else False
        return JOINING.match(before) is not None or (character == JOINERS[1] and is_symbol)
    if character == SPACE:
        return UNSPACED.match(before) is not None
    return character in MARKS and FROM_THE_RIGHT.search(text) is not None
