"""Slips in texts that a person sees at once: text encoded twice, entities, tags and odd marks."""

import html
import re
from collections.abc import Iterator
from functools import cache

from postprocess.formats.kinds import ALPHABETS, PUNCTUATION
from postprocess.formats.marks import TAG, MarkedContext, Problem, fold, has_word

BEYOND = re.compile("[^\x00-\x7f]{2,}")
ENCODINGS = {"cp1252": "Windows-1252", "cp1250": "Windows-1250", "mac_roman": "Mac Roman"}
LETTERS = frozenset("".join(ALPHABETS.values()) + "".join(ALPHABETS.values()).upper())
KNOWN = (LETTERS | PUNCTUATION) - {"\u00ad"}
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
ELEMENT = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]{0,15}(?:\s[^<>]{0,200})?/?>")
LOST = "\N{REPLACEMENT CHARACTER}"
LITERALLY = "annotators read it literally: write the characters that are meant"
UNSPACED = re.compile(  # Thai, Lao, Tibetan, Burmese, Khmer, kana and Han
    "[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)
SIGNS = " \t\u00a0.,;:!?…„“”\"'«»()[]{}<>*_"
MOST_SHOWN = 3


def list_slips(field: str) -> Iterator[Problem]:
    """Yield what looks wrong in the characters of a field: a problem of each kind."""
    for piece in BEYOND.findall(field):
        meant, encoding = _repair(piece)
        if meant:
            what = f'"{piece[:20]}" looks like UTF-8 read as {encoding} ("{meant[:20]}")'
            yield Problem(what, "open the file again as UTF-8, and save it as UTF-8")
            break
    if LOST in field:
        what = "characters were lost: the field contains U+FFFD"
        yield Problem(what, "take the text from its source again")
    plain = TAG.sub("", field)
    entities = [entity for entity in ENTITY.findall(plain) if html.unescape(entity) != entity]
    for kind, names in (("entities", entities), ("tags", ELEMENT.findall(plain))):
        if names:
            listed = ", ".join(dict.fromkeys(name[:30] for name in names[:MOST_SHOWN]))
            yield Problem(f"{kind} of HTML or XML in the text: {listed}", LITERALLY)


def list_odd_marks(
    context: MarkedContext, words: tuple[str, str], *, column: str
) -> Iterator[Problem]:
    """Yield what looks wrong with the marks of a context; `words` are the dictionary forms."""
    pieces = context.parts
    rest = fold("".join("_" if is_target else piece for piece, is_target in pieces))
    spans = (context.word1, context.word2)
    for number, (word, (start, end)) in enumerate(zip(words, spans, strict=True), 1):
        form = context.text[start:end]
        around = context.text[start - 1 : start] if start else "", context.text[end : end + 1]
        named = f'the mark around "{form}" (word{number}_{column})'
        if not form.strip(SIGNS) or form != form.strip(SIGNS):
            yield Problem(f"{named} begins or ends with a space or a sign", "mark the word alone")
        elif UNSPACED.search(form):
            if fold(form) in rest:
                what = f'"{form}" (word{number}_{column}) stands in the text once more, unmarked'
                yield Problem(what, "change the text, unless it is part of another word")
        elif any(character.isalpha() for character in around):
            yield Problem(f"{named} covers a part of a word", "mark the whole word")
        elif re.search(r"\s", form) and not re.search(r"[\s_-]", word):
            yield Problem(f"{named} covers several words", "mark the target word alone")
        elif fold(word) != fold(form) and has_word(rest, fold(word)):
            what = f'"{word}" stands in the text, too, beside "{form}" (word{number}_{column})'
            yield Problem(what, "change the text so that the word occurs once")


def _repair(piece: str) -> tuple[str, str]:
    """Return the letters that were encoded twice and the encoding, or nothing."""
    for encoding, name in ENCODINGS.items():
        table = _bytes_of(encoding)
        if not all(character in table for character in piece):
            continue
        try:
            text = bytes(table[character] for character in piece).decode()
        except UnicodeDecodeError:
            continue
        is_long = len(text) > 1 and text.isalpha() and text[0] > "\u0370"
        if is_long or KNOWN.issuperset(text):
            return text, name
    return "", ""


@cache
def _bytes_of(encoding: str) -> dict[str, int]:
    """Return the byte of each character; undefined bytes are control characters, as in browsers."""
    return {bytes([b]).decode(encoding, "ignore") or chr(b): b for b in range(128, 256)}
