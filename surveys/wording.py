"""The texts of a study that annotators read: its own versions, or the defaults of its language."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from surveys.auditing import record
from surveys.errors import TextChanged, TextRefused
from surveys.models import Study, StudyText, TextKind
from surveys.models.stimuli import MarkedText

DEFAULTS = Path(__file__).parent / "texts"
LONGEST_TEXT = 20_000
FILES = {
    TextKind.CONSENT: "consent.md",
    TextKind.INSTRUCTIONS: "instructions.md",
    TextKind.PRACTICE: "practice.toml",
    TextKind.CHECK: "check.toml",
}
MAY_BE_EMPTY = {TextKind.PRACTICE, TextKind.CHECK}  # the survey then goes without
TARGET = re.compile(r"<strong>(.*?)</strong>", re.DOTALL)


@dataclass(frozen=True)
class PracticeItem(MarkedText):
    """A text to try both pages on, two good words for it, and what a good answer looks like."""

    text: str
    word1_start: int
    word1_end: int
    word2_start: int
    word2_end: int
    words: tuple[str, str]
    explanation: str


@dataclass(frozen=True)
class CheckQuestion:
    """A question on the instructions. `right` is the index of its one right answer."""

    question: str
    answers: tuple[str, ...]
    right: int
    why: str


def current_text(study: Study, kind: TextKind) -> StudyText:
    """The version that annotators read now; the first one is the default of the language."""
    text = read_text(study, kind)
    if text.pk is None:
        text, _ = StudyText.objects.get_or_create(
            study=study, kind=kind, version=1, defaults={"body": text.body}
        )
    return text


def read_text(study: Study, kind: TextKind) -> StudyText:
    """As `current_text`, but a default that nobody was shown yet is not stored."""
    latest = StudyText.objects.filter(study=study, kind=kind).first()
    return latest or StudyText(
        study=study, kind=kind, version=1, body=default_body(study.language, kind)
    )


def refuse_outdated(shown: object, current: object) -> None:
    """Raise TextChanged when what somebody was shown, if that is known, is not what holds now."""
    if shown is not None and shown != current:
        told = gettext("This page has changed since you opened it. Please read it again.")
        raise TextChanged(told)


def default_body(language: str, kind: TextKind) -> str:
    """Cosima's own text. What has examples in a language is empty where it is not there in it."""
    own = DEFAULTS / language.split("-")[0] / FILES[kind]
    if own.exists():
        return own.read_text(encoding="utf-8")
    return "" if kind in MAY_BE_EMPTY else (DEFAULTS / "en" / FILES[kind]).read_text("utf-8")


def has_default_texts(language: str) -> bool:
    """Whether there are default texts in the language itself."""
    return (DEFAULTS / language.split("-")[0]).is_dir()


@transaction.atomic
def set_text(study: Study, kind: TextKind, body: str) -> StudyText:
    """Add a version of a text; the same text again adds none. Raises TextRefused."""
    body = body.replace("\r\n", "\n").strip()
    check_text(kind, body)
    # versions are numbered in turn
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    current = current_text(study, kind)
    if current.body.strip() == body:
        return current
    text = StudyText.objects.create(study=study, kind=kind, version=current.version + 1, body=body)
    study.save(update_fields=["revision"])
    record("text.set", study, kind.value, version=text.version)
    return text


def check_text(kind: TextKind, body: str) -> None:
    """Raise TextRefused, with what to do, for a text that the survey could not show."""
    if not body:
        if kind not in MAY_BE_EMPTY:
            raise TextRefused(f"The text for {kind} is empty. Annotators must be told something.")
        return
    if len(body) > LONGEST_TEXT:
        raise TextRefused(f"The text for {kind} is longer than {LONGEST_TEXT} characters.")
    if "\0" in body:
        raise TextRefused(f"The text for {kind} holds a null character. Is it a text file?")
    if kind == TextKind.PRACTICE:
        read_practice(body)
    if kind == TextKind.CHECK:
        read_check(body)


def read_practice(body: str) -> PracticeItem | None:
    """The practice item that a TOML text describes; None for an empty one. Raises TextRefused."""
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
            "practice: two words of the text must stand in <strong>…</strong>, "
            f"got {len(pieces) // 2}."
        )
    starts = [len("".join(pieces[:n])) for n in (1, 3)]
    return PracticeItem(
        text="".join(pieces),
        word1_start=starts[0],
        word1_end=starts[0] + len(pieces[1]),
        word2_start=starts[1],
        word2_end=starts[1] + len(pieces[3]),
        words=(words[0], words[1]),
        explanation=explanation,
    )


def read_check(body: str) -> tuple[CheckQuestion, ...]:
    """The questions that a TOML text describes, none of an empty one. Raises TextRefused."""
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
        return tomllib.loads(body)
    except (ValueError, RecursionError) as error:  # ValueError: numbers of thousands of digits
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
