"""Texts of a study that annotators read: its own versions, or the defaults of its language."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from postprocess.formats.marks import MarkedContext, Span
from postprocess.formats.toml import TomlError, parse_toml
from surveys.access.audit_log import record
from surveys.errors import TextChanged, TextRefused
from surveys.models import Study, StudyText, TextKind
from surveys.models.stimuli import TargetText
from surveys.study.letters import check_letter

DEFAULTS = Path(__file__).parent / "default_texts"
OTHER = "other"  # in place of a language that has no defaults; in English
LONGEST_TEXT = 20_000
FILES = {
    TextKind.CONSENT: "consent.md",
    TextKind.INSTRUCTIONS: "instructions.md",
    TextKind.PRACTICE: "practice.toml",
    TextKind.CHECK: "check.toml",
    TextKind.INVITATION: "invitation.txt",
    TextKind.REMINDER: "reminder.txt",
}
MAY_BE_EMPTY = {TextKind.PRACTICE, TextKind.CHECK}  # the survey then has none
TARGET = re.compile(r"<strong>((?:[^<]|<(?!/?strong>))*+)</strong>")


class DefaultText(NamedTuple):
    """A default text; `language` is empty if the text is in the language asked for."""

    body: str
    language: str = ""


@dataclass(frozen=True)
class PracticeItem(TargetText):
    """A text to practise both pages on, two good words for it, and an explanation of them."""

    marked: MarkedContext
    word1: str
    word2: str
    has_dictionary_forms: bool
    words: tuple[str, str]
    explanation: str


@dataclass(frozen=True)
class CheckQuestion:
    """A question on the instructions. `right` is the index of its one correct answer."""

    question: str
    answers: tuple[str, ...]
    right: int
    why: str


def current_text(study: Study, kind: TextKind) -> StudyText:
    """Return the version that annotators read now; version 1 is the default of the language."""
    return current_texts(study, [kind])[kind]


def read_text(study: Study, kind: TextKind) -> StudyText:
    """Return the current text as `current_text` does, without storing an unused default."""
    return read_texts(study, [kind])[kind]


def current_texts(study: Study, kinds: Collection[TextKind]) -> dict[TextKind, StudyText]:
    """Return the texts of some kinds as `current_text` does, in one query if all are stored."""
    texts = read_texts(study, kinds)
    if missing := [text for text in texts.values() if text.pk is None]:
        StudyText.objects.bulk_create(missing, ignore_conflicts=True)  # another may store them, too
        texts = read_texts(study, kinds)
    return texts


def read_texts(
    study: Study, kinds: Collection[TextKind] = tuple(TextKind)
) -> dict[TextKind, StudyText]:
    """Return the current texts of some kinds, as `read_text` does; one query."""
    stored = StudyText.objects.filter(study=study, kind__in=kinds).order_by("version")
    latest = {TextKind(text.kind): text for text in stored}
    return {kind: latest.get(kind) or _first_text(study, kind) for kind in kinds}


def _first_text(study: Study, kind: TextKind) -> StudyText:
    body, language = default_text(study.language, kind)
    return StudyText(study=study, kind=kind, version=1, body=body, language=language)


def refuse_outdated(shown: object, current: object) -> None:
    """Raise TextChanged if the annotator was shown something else than the current text."""
    if shown is not None and shown != current:
        message = gettext("This page has changed since you opened it. Please read it again.")
        raise TextChanged(message)


def default_text(language: str, kind: TextKind) -> DefaultText:
    """Return the default text for a language, or the English one.

    Kinds with examples in the language (practice, check) are empty instead of English.
    """
    own = DEFAULTS / language.split("-")[0] / FILES[kind]
    if own.exists():
        return DefaultText(own.read_text(encoding="utf-8"))
    if kind in MAY_BE_EMPTY:
        return DefaultText("")
    neutral = DEFAULTS / OTHER / FILES[kind]
    english = neutral if neutral.exists() else DEFAULTS / "en" / FILES[kind]
    return DefaultText(english.read_text(encoding="utf-8"), settings.LANGUAGE_CODE)


def default_body(language: str, kind: TextKind) -> str:
    """Return the body of the default text for a language."""
    return default_text(language, kind).body


def has_default_texts(language: str) -> bool:
    """Return whether there are default texts in the language itself."""
    return (DEFAULTS / language.split("-")[0] / FILES[TextKind.CONSENT]).exists()


def interface_of(study: Study) -> str:
    """Return the language of the interface: the study's if it is translated, else the site's."""
    language = study.language.split("-")[0]
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


@transaction.atomic
def set_text(study: Study, kind: TextKind, body: str) -> StudyText:
    """Add a version of a text; a no-op for the current text. Raises TextRefused."""
    body = body.replace("\r\n", "\n").strip()
    check_text(kind, body)
    # versions are numbered in turn
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    current = current_text(study, kind)
    if current.body.strip() == body:
        return current
    default = default_text(study.language, kind)
    language = default.language if default.body.strip() == body else ""
    return _add_version(study, current, DefaultText(body, language))


def follow_language(study: Study, before: str) -> None:
    """Replace the default texts of the previous language by those of the current one.

    Texts written by a researcher stay.
    """
    for kind in TextKind:
        latest = StudyText.objects.filter(study=study, kind=kind).first()
        if latest is None:
            continue
        # version 1 is the default as it was when it was first shown
        is_default = latest.version == 1 or latest.body == default_body(before, kind)
        wanted = default_text(study.language, kind)
        if is_default and (latest.body, latest.language) != wanted:
            _add_version(study, latest, wanted)


def _add_version(study: Study, current: StudyText, wanted: DefaultText) -> StudyText:
    text = StudyText.objects.create(
        study=study, kind=current.kind, version=current.version + 1, **wanted._asdict()
    )
    study.save(update_fields=["revision"])
    record("text.set", study, str(current.kind), version=text.version)
    return text


def check_text(kind: TextKind, body: str) -> None:
    """Raise TextRefused, with advice, for a text that the survey could not show."""
    if not body:
        if kind not in MAY_BE_EMPTY:
            raise TextRefused(
                f"The text for {kind} is empty. Only practice and check may be empty."
            )
        return
    if len(body) > LONGEST_TEXT:
        raise TextRefused(f"The text for {kind} is longer than {LONGEST_TEXT} characters.")
    if "\0" in body:
        raise TextRefused(f"The text for {kind} holds a null character. Is it a text file?")
    if kind == TextKind.PRACTICE:
        read_practice(body)
    if kind == TextKind.CHECK:
        read_check(body)
    if kind in TextKind.mails():
        check_letter(kind, body)


def read_practice(body: str) -> PracticeItem | None:
    """Return the practice item of a TOML text; None for an empty one. Raises TextRefused."""
    if not body:
        return None
    table = _read_toml(body, "practice")
    marked, explanation = (_take_text(table, key, "practice") for key in ("text", "explanation"))
    words = _take_texts(table, "words", "practice")
    if len(words) != 2:
        raise TextRefused(f"practice: words must be two example words, got {len(words)}.")
    pieces = TARGET.split(marked)
    if len(pieces) != 5 or not all(word.strip() for word in pieces[1::2]):
        raise TextRefused(
            "practice: two words of the text must be in <strong>…</strong>, "
            f"got {len(pieces) // 2}."
        )
    word1, word2 = _take_dictionary_forms(table) or (pieces[1], pieces[3])
    ends = [*accumulate(map(len, pieces))]
    return PracticeItem(
        marked=MarkedContext("".join(pieces), Span(*ends[0:2]), Span(*ends[2:4])),
        word1=word1,
        word2=word2,
        has_dictionary_forms="word1" in table,
        words=(words[0], words[1]),
        explanation=explanation,
    )


def _take_dictionary_forms(table: dict[str, Any]) -> tuple[str, str] | None:
    """Return the dictionary forms of the two marked words, or None if neither is given."""
    if not table.keys() & {"word1", "word2"}:
        return None
    word1, word2 = (_take_text(table, key, "practice") for key in ("word1", "word2"))
    if word1 == word2:
        raise TextRefused(f'practice: both words are "{word1}"; they must differ.')
    return word1, word2


def read_check(body: str) -> tuple[CheckQuestion, ...]:
    """Return the questions of a TOML text; none for an empty one. Raises TextRefused."""
    if not body:
        return ()
    questions = _read_toml(body, "check").get("questions")
    if not isinstance(questions, list) or not questions:
        raise TextRefused("check: there must be one [[questions]] table or more.")
    return tuple(
        _read_question(table, f"check, question {n}") for n, table in enumerate(questions, 1)
    )


def _read_question(table: Any, place: str) -> CheckQuestion:
    if not isinstance(table, dict):
        raise TextRefused(f"{place}: write it as a [[questions]] table.")
    answers = _take_texts(table, "answers", place)
    right = table.get("right")
    if len(answers) < 2:
        raise TextRefused(f"{place}: answers must be two or more, got {len(answers)}.")
    if type(right) is not int or not 1 <= right <= len(answers):
        raise TextRefused(f"{place}: right must be from 1 to {len(answers)}, got {right!r}.")
    question, why = (_take_text(table, key, place) for key in ("question", "why"))
    return CheckQuestion(question, tuple(answers), right - 1, why)


def _read_toml(body: str, place: str) -> dict[str, Any]:
    try:
        return parse_toml(body)
    except TomlError as error:
        raise TextRefused(f"{place}: this is not TOML: {error}.") from error


def _take_text(table: dict[str, Any], key: str, place: str) -> str:
    text = table.get(key)
    if not isinstance(text, str) or not text.strip():
        raise TextRefused(f'{place}: {key} is missing; write {key} = "…".')
    return text.strip()


def _take_texts(table: dict[str, Any], key: str, place: str) -> list[str]:
    texts = table.get(key)
    if not isinstance(texts, list) or not all(isinstance(t, str) and t.strip() for t in texts):
        raise TextRefused(f'{place}: {key} must be a list of texts, such as ["…", "…"].')
    return [text.strip() for text in texts]
