"""Spell-check of inspired words: those that no dictionary has and whose letters are improbable.

Words are looked up in the lists of `simplemma` and, for inflected and compound forms, in a
dictionary of the system (Hunspell, or Voikko for Finnish). Dictionaries lack many real words, so
their letters decide; see `letters`. In a language that simplemma lacks, no word is doubted.
"""

import logging
import os
import re
import shutil
import subprocess  # nosec B404 # (for dictionaries of the system)
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path

from postprocess.formats.invisible import remove_invisible
from preprocess.word_lists import has_word_list, listed_as
from surveys.review.letters import has_odd_letters

FOLDERS = ("/usr/share/hunspell", "/usr/share/myspell/dicts")
VOIKKO_TAGS = {"fi"}
TIMEOUT_SECONDS = 30
CACHE_SIZE = 200_000
SHORTEST_PART = 3  # letters
JOINED = re.compile("[-‐‑–'’]")
logger = logging.getLogger(__name__)
remembered: dict[tuple[str, str], bool] = {}  # whether it is doubted, by language and word


def find_doubted(words: Iterable[str], language: str) -> frozenset[str]:
    """Return the words without meaning: no source has them, and their letters are improbable.

    A word joined from others is doubted if all its parts of three letters or more are.
    """
    distinct = frozenset(words)
    if not has_word_list(language):
        return frozenset()
    new = [word for word in distinct if (language, word) not in remembered]
    if len(remembered) + len(new) > CACHE_SIZE:
        remembered.clear()
        new = list(distinct)
    parts = {word: _divide(word) for word in new}
    known_words = _find_known(sorted({part for some in parts.values() for part in some}), language)
    for word, some in parts.items():  # lists have single letters, too, which are no answers
        remembered[language, word] = all(
            (part not in known_words or len(part) == 1)
            and has_odd_letters(part, listed_as(language))
            for part in some
        )
    return frozenset(word for word in distinct if remembered[language, word])


def _divide(word: str) -> list[str]:
    """Return the parts of a word at hyphens and apostrophes, without invisible characters.

    >>> _divide("rock’n’roll"), _divide("x-y")
    (['rock', 'roll'], ['x-y'])
    """
    visible = remove_invisible(word)
    return [part for part in JOINED.split(visible) if len(part) >= SHORTEST_PART] or [visible]


@lru_cache(CACHE_SIZE)
def find_lemma(word: str, language: str) -> str:
    """Return the lemma of a word by simplemma, or the word in a language that it lacks."""
    if not has_word_list(language):
        return word
    from simplemma import lemmatize

    return lemmatize(word, lang=listed_as(language), low_memory=True).casefold()


def _find_known(words: Sequence[str], language: str) -> set[str]:
    known_words = {word for word in words if _is_listed(word, listed_as(language))}
    if (command := spelling_command(language)) and (rest := sorted({*words} - known_words)):
        spelled = _ask(command, [form for word in rest for form in _forms(word)])
        known_words |= {word for word in rest if spelled.intersection(_forms(word))}
    return known_words


def _is_listed(word: str, listed: str) -> bool:
    from simplemma import is_known

    # low_memory takes 9 MB instead of 63 for Croatian, 46 instead of 412 for Finnish
    return any(is_known(form, lang=listed, low_memory=True) for form in _forms(word))


def _forms(word: str) -> tuple[str, str, str]:
    """Return a word in the letter cases that a dictionary may contain."""
    return word, word.lower(), word.capitalize()


@cache
def spelling_command(language: str) -> tuple[str, ...]:
    """Return the command that spell-checks lines from standard input, or () if there is none."""
    tag = language.lower().split("-")[0]
    voikko, hunspell = shutil.which("voikkospell"), shutil.which("hunspell")
    if tag in VOIKKO_TAGS and voikko:
        return (voikko, "-d", tag)
    if hunspell and (dictionaries := _list_dictionaries(tag)):
        return (hunspell, "-d", ",".join(dictionaries), "-i", "utf-8", "-G")
    return ()


def _list_dictionaries(tag: str) -> list[str]:
    folders = [*filter(None, os.environ.get("DICPATH", "").split(os.pathsep)), *FOLDERS]
    paths: dict[str, str] = {}
    for folder in map(Path, folders):
        for path in sorted([*folder.glob(f"{tag}.aff"), *folder.glob(f"{tag}_*.aff")]):
            paths.setdefault(path.stem, str(path.with_suffix("")))
    return list(paths.values())


def _ask(command: Sequence[str], forms: Sequence[str]) -> set[str]:
    """Return the forms that a program accepts; none if it fails."""
    lines = "".join(f"{form}\n" for form in forms if form.isprintable())
    try:
        done = subprocess.run(  # noqa: S603  # nosec B603 # (our command; words go in as lines)
            command, input=lines.encode(), capture_output=True, check=True, timeout=TIMEOUT_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        logger.warning("Spell-check by %s failed: %s", command[0], type(error).__name__)
        return set()
    answers = done.stdout.decode(errors="replace").splitlines()
    return {line.removeprefix("C: ") for line in answers if not line.startswith("W: ")}
