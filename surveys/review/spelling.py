"""Spell-check of inspired words.

Words are looked up in the lists of `simplemma` and, for inflected and compound forms, in a
dictionary of the system (Hunspell, or Voikko for Finnish). In a language that neither supports,
no word is doubted.
"""

import logging
import os
import shutil
import subprocess  # nosec B404 # (for dictionaries of the system)
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from preprocess.word_lists import has_word_list, listed_as

FOLDERS = ("/usr/share/hunspell", "/usr/share/myspell/dicts")
VOIKKO_TAGS = {"fi"}
TIMEOUT_SECONDS = 30
CACHE_SIZE = 200_000
logger = logging.getLogger(__name__)
remembered: dict[tuple[str, str], bool] = {}  # by language and word


def find_doubted(words: Iterable[str], language: str) -> frozenset[str]:
    """Return the words that no source contains in any letter case; none for an unknown language."""
    asked = frozenset(words)
    if not has_word_list(language) and not has_dictionary(language):
        return frozenset()
    new = [word for word in asked if (language, word) not in remembered]
    if len(remembered) + len(new) > CACHE_SIZE:
        remembered.clear()
        new = list(asked)
    known = _find_known(new, language)
    remembered.update({(language, word): word in known for word in new})
    return frozenset(word for word in asked if not remembered[language, word])


def has_dictionary(language: str) -> bool:
    """Return whether the system has a dictionary of the language."""
    return bool(spelling_command(language))


def _find_known(words: Sequence[str], language: str) -> set[str]:
    known = set()
    if has_word_list(language):
        listed = listed_as(language)
        known = {word for word in words if _is_listed(word, listed)}
    if (command := spelling_command(language)) and (rest := sorted({*words} - known)):
        spelled = _ask(command, [form for word in rest for form in _forms(word)])
        known |= {word for word in rest if spelled.intersection(_forms(word))}
    return known


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
    if hunspell and (found := _list_dictionaries(tag)):
        return (hunspell, "-d", ",".join(found), "-i", "utf-8", "-G")
    return ()


def _list_dictionaries(tag: str) -> list[str]:
    folders = [*filter(None, os.environ.get("DICPATH", "").split(os.pathsep)), *FOLDERS]
    found: dict[str, str] = {}
    for folder in map(Path, folders):
        for path in sorted([*folder.glob(f"{tag}.aff"), *folder.glob(f"{tag}_*.aff")]):
            found.setdefault(path.stem, str(path.with_suffix("")))
    return list(found.values())


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
