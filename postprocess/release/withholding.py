"""Texts whose licence does not allow publishing: masked in every file, restored by a script."""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Sequence
from pathlib import Path

from postprocess.formats.stimuli import COLUMNS, ParsedStimuli, parse_stimuli
from postprocess.formats.tokens import SINGLE
from postprocess.release import rebuild
from postprocess.release.sources import ContextSource, Publishing, judge_licence

TARGETS = re.compile(r"(<strong>.*?</strong>)")
SCRIPT = "rebuild.py"


def mask_text(marked: str) -> str:
    """Replace the letters of a text by x or X and its digits by 0, except in the marked words.

    Its length, its sentences, and the number and places of its words stay the same, and so do all
    figures that depend on them.

    >>> mask_text("In 2020 the <strong>ice</strong> on <strong>Lake</strong> Bled.")
    'Xx 0000 xxx <strong>ice</strong> xx <strong>Lake</strong> Xxxx.'
    """
    pieces = TARGETS.split(marked)
    pieces[::2] = ["".join(map(_mask_character, piece)) for piece in pieces[::2]]
    return "".join(pieces)


def withhold_texts(
    stimuli: ParsedStimuli, sources: Sequence[ContextSource], which: Collection[Publishing]
) -> tuple[ParsedStimuli, tuple[ContextSource, ...]]:
    """Mask the contexts whose licence gets one of the given judgements.

    Also returns the sources, with the digests of the texts that were masked.
    """
    rows = [list(row) for row in stimuli.rows]
    digested = []
    for source in sources:
        column = COLUMNS.index(f"context{source.context}")
        text = rows[source.pair - 1][column]
        if judge_licence(source.licence) in which:
            rows[source.pair - 1][column] = mask_text(text)
            source = source._replace(sha256=hashlib.sha256(text.encode()).hexdigest())
        digested.append(source)
    if not any(source.sha256 for source in digested):
        return stimuli, tuple(digested)
    text = "".join("\t".join(row) + "\n" for row in (COLUMNS, *rows))
    return parse_stimuli(text.encode()), tuple(digested)


def list_withheld(*, unknown: bool) -> tuple[Publishing, ...]:
    """Return which licences withhold a text: forbidding ones, with or without unknown licences."""
    return (Publishing.FORBIDDEN, Publishing.UNKNOWN) if unknown else (Publishing.FORBIDDEN,)


def read_script() -> bytes:
    """Return the script of a release that restores the texts from the corpus."""
    return Path(rebuild.__file__).read_bytes()


def _mask_character(character: str) -> str:
    if character.isdigit():
        return "0"
    if not character.isalpha():
        return character
    if unicodedata.name(character, "").startswith(SINGLE):
        return "一"  # a word of its own
    return "X" if character.isupper() else "x"
