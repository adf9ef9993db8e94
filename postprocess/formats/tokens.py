"""Words and sentences of a text in any language, and the positions of the two target words."""

import re
import unicodedata
from typing import NamedTuple

from postprocess.formats.marks import MarkedContext

# Signs that join two letters or digits into one word, as in don't, EU:n, e-mail, l·l and 3.14,
# or only two digits: the common ones of the Unicode Standard's Annex 29, and hyphens.
JOINERS = frozenset("'’.:·-‐‑־׳״")
DIGIT_JOINERS = frozenset(",٫٬")
FORMATS = frozenset("\u200c\u200d\u00ad")  # non-joiner, joiner, soft hyphen: within a word
# Written without spaces: each sign counts as a word.
SINGLE = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA")
# Of kinds of characters: s single, m mark, d digit, w other inner, j joiner, c between digits.
WORD = re.compile(r"sm*|[wdm](?:[wdm]|j(?=[wdms])|(?<=d)c(?=d))*")

# A run of terminators with the closing quotes and brackets, the space after it and the next
# character. Possessive: every character is read once, also in a run that ends no sentence.
SENTENCE_SIGNS = re.compile(
    r"""(?:(?P<spaced>[.!?…؟।]++["'”’“»«›‹)\]]*+)|[。！？]++[」』”’）]*+)(?P<gap>\s*+)(?=(?P<next>\S?))"""
)


class Positions(NamedTuple):
    """Positions of the two target words of a context.

    `distance` is 1 for adjacent words, 2 with one word between them, …; `position` is the mean
    of both, from 0 (the first words of the text) to 1 (the last ones); sentences count from 1.
    """

    n_tokens: int
    distance: int
    word1_first: bool
    position: float
    sentence1: int
    sentence2: int


def tokenise(text: str) -> list[str]:
    """Split a text of any language into words, unchanged and in order.

    A word is a run of letters, digits and the marks that belong to them; a single apostrophe,
    hyphen, full stop or the like between two of them does not end it. Chinese characters and
    hiragana count one by one. Thai, Lao, Khmer and Burmese, which have no spaces and need a
    dictionary, count by runs. Punctuation and symbols are not words. These are the word boundaries
    of Unicode Standard Annex 29, simplified, and with hyphens joining.

    >>> tokenise("Don't e-mail 3.14 – “šest”… 冰水")
    ["Don't", 'e-mail', '3.14', 'šest', '冰', '水']
    """
    return [text[start:end] for start, end in find_words(text)]


def find_words(text: str) -> list[tuple[int, int]]:
    """Return the beginnings and ends of the words that `tokenise` returns.

    >>> find_words("Ice is – water")
    [(0, 3), (4, 6), (9, 14)]
    """
    return [word.span() for word in WORD.finditer(text.translate(_KINDS))]


def count_sentences(text: str) -> int:
    """Estimate the number of sentences: the sentence ends, and a rest without one.

    >>> count_sentences('He came in 1840. papež said. "Really?" And left')
    3
    """
    ends = sentence_ends(text)
    return len(ends) + bool(text[ends[-1] if ends else 0 :].strip())


def sentence_ends(text: str) -> list[int]:
    """Estimate the ends of sentences: the offsets after their last signs.

    Signs end a sentence before a space or the end of the text, in Chinese and Japanese also
    without a space. A small letter after the space means that the full stop belongs to an
    abbreviation or an ordinal.

    >>> sentence_ends('He came in 1840. papež said. "Really?" And')
    [28, 38]
    """
    return [signs.start("gap") for signs in SENTENCE_SIGNS.finditer(text) if _ends_sentence(signs)]


def _ends_sentence(signs: re.Match[str]) -> bool:
    if signs["spaced"] is None:
        return True
    is_apart = signs["gap"] != "" or signs["next"] == ""
    return is_apart and not signs["next"].islower()


def locate_targets(context: MarkedContext) -> Positions:
    """Locate the two target words among the words and sentences of their context.

    A target counts as one word, whatever is marked; the rest of a partly marked word counts as a
    further one.

    >>> from postprocess.formats.marks import Span
    >>> locate_targets(MarkedContext("He drank. Ice is cold water.", Span(22, 27), Span(10, 13)))
    Positions(n_tokens=6, distance=3, word1_first=False, position=0.7, sentence1=2, sentence2=2)
    """
    first, second = sorted((context.word1, context.word2))
    text = context.text
    n_before = len(tokenise(text[: first.start]))
    n_between = len(tokenise(text[first.end : second.start]))
    n_after = len(tokenise(text[second.end :]))
    n_tokens = n_before + n_between + n_after + 2
    ends = sentence_ends(text)
    sentence1, sentence2 = (
        1 + sum(end <= span.start for end in ends) for span in (context.word1, context.word2)
    )
    return Positions(
        n_tokens=n_tokens,
        distance=n_between + 1,
        word1_first=context.word1 < context.word2,
        position=(2 * n_before + n_between + 1) / 2 / (n_tokens - 1),
        sentence1=sentence1,
        sentence2=sentence2,
    )


class _Kinds(dict[int, str]):
    """A cache: code of a character → its kind in `WORD`."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(chr(code))
        return kind


def _kind(character: str) -> str:
    if character in JOINERS:
        return "j"
    if character in DIGIT_JOINERS:
        return "c"
    category = unicodedata.category(character)[0]
    if category == "M":
        return "m"
    if category not in "LN" and character not in FORMATS:
        return " "
    if character > "\u2e7f" and unicodedata.name(character, "").startswith(SINGLE):
        return "s"
    return "d" if character.isdigit() else "w"


_KINDS = _Kinds()
