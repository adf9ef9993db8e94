"""The texts of a study in TOML: practice items, and questions on the instructions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from postprocess.designs.kinds import (
    FORMS,
    KINDS,
    TEXTS,
    Item,
    ItemKind,
    ItemRules,
    WordPair,
)
from postprocess.formats.marks import MarkedContext, Span
from postprocess.formats.toml import TomlError, parse_toml
from surveys.errors import TextRefused
from surveys.study.scale_examples import points_between

if TYPE_CHECKING:
    from postprocess.designs.design import ItemSection

OF_COSIMLEX = ItemRules()
TARGET = re.compile(r"<strong>((?>(?:[^<]|<(?!/?strong>))*))</strong>")


@dataclass(frozen=True)
class PracticeItem:
    """An item to practise on, two words that fit its text if page 1 asks, and an explanation."""

    item: Item[Any]
    explanation: str
    ours: tuple[int, int] | None = None  # percentages of the scale that its authors would choose
    words: tuple[str, ...] = ()
    has_dictionary_forms: bool = True

    def find_ours(self, points: Sequence[Decimal]) -> list[Decimal]:
        """Return the points that the authors of the text would choose; none if it does not say."""
        return points_between(points, self.ours) if self.ours else []


@dataclass(frozen=True)
class CheckQuestion:
    """A question on the instructions. `right` is the index of its one correct answer."""

    question: str
    answers: tuple[str, ...]
    right: int
    why: str


def read_practice(
    body: str, rules: "ItemSection | ItemRules" = OF_COSIMLEX
) -> tuple[PracticeItem, ...]:
    """Return the practice items of a TOML text; none for an empty one. Raises TextRefused.

    `rules` are those of the study. A text with one item may leave out the heading [[items]].
    """
    kind = KINDS[rules.kind]
    if kind.n_pages == 2:
        return tuple(_read_text(item) for item in _read_items(body))
    return tuple(_read_pair(item, kind, rules) for item in _read_items(body))


def _read_items(body: str) -> list[dict[str, Any]]:
    if not body:
        return []
    table = _read_toml(body, "practice")
    items = table.get("items", [table])
    if not isinstance(items, list) or not items or not all(isinstance(i, dict) for i in items):
        raise TextRefused("practice: write each item as an [[items]] table.")
    return items


def _read_text(table: dict[str, Any]) -> PracticeItem:
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
    text = MarkedContext("".join(pieces), Span(*ends[0:2]), Span(*ends[2:4]))
    return PracticeItem(
        Item(word1, word2, (text,)), explanation, _take_ours(table),
        tuple(words), has_dictionary_forms="word1" in table,
    )  # fmt: skip


def _read_pair(
    table: dict[str, Any], kind: ItemKind, rules: "ItemSection | ItemRules"
) -> PracticeItem:
    written = (name for name in kind.columns if name not in ("id", *FORMS))
    fields = {"id": "", **{name: _take_text(table, name, "practice") for name in written}}
    for text, form in zip(TEXTS, FORMS, strict=True):
        if text in fields:  # without a mark, `read` says so of the text
            fields[form] = " ".join(TARGET.findall(fields[text])) or fields["word1"]
    pair, findings = kind.read(fields, rules)
    if not isinstance(pair, WordPair):
        raise TextRefused(f"practice: {'; '.join(map(str, findings))}.")
    explanation = _take_text(table, "explanation", "practice")
    return PracticeItem(Item(pair.word1, pair.word2, pair.texts), explanation, _take_ours(table))


def _take_ours(table: dict[str, Any]) -> tuple[int, int] | None:
    """Return the range of points that the authors would choose, or None without one."""
    if "readers" in table:
        raise TextRefused("practice: rename readers to ours: it says what you would choose.")
    given = table.get("ours")
    if given is None:
        return None
    is_pair = isinstance(given, list) and [type(end) for end in given] == [int, int]
    if not is_pair or not 0 <= given[0] < given[1] <= 100:
        raise TextRefused(
            "practice: ours must be two percentages of the scale, the lower first, such as "
            "[0, 34] for its low end."
        )
    return given[0], given[1]


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
