"""Answers to one questionnaire → what is odd about each. Evidence, never a verdict.

Nothing here names a word: a piece of evidence says which of the two it is about, and is told in
words only beside the answer itself.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from postprocess.formats.invisible import list_invisible, remove_invisible

HASTY_WORDS_PER_MINUTE = 500  # twice as fast as silent reading: 238 (Brysbaert, 2019)
FEWEST_RATINGS = 5  # fewer may well be equal
LARGEST_RISK = 1000
WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")


class Piece(NamedTuple):
    """A piece of evidence: its code, the inspired word it is about (0 for none), a number."""

    code: str
    which: int = 0
    n: int = 0


class Sign(NamedTuple):
    """What a code weighs, and how it is told of one and of several."""

    weight: int
    one: str
    many: str


def _sign(weight: int, one: str, many: str = "") -> Sign:
    return Sign(weight, one, many or one)


SIGNS = {
    "constant": _sign(4, "All {n} ratings of this questionnaire are the same."),
    "targets": _sign(6, "Both words are the targets of page 2, which page 1 does not tell."),
    "target": _sign(3, "“{word}” is a target of page 2, which page 1 does not tell."),
    "copied": _sign(2, "“{word}” is copied from the text."),
    "repeated": _sign(
        2,
        "“{word}” was written for another text, too.",
        "“{word}” was written for {n} other texts.",
    ),
    "shared": _sign(
        3,
        "Another annotator wrote the same two words for this text.",
        "{n} other annotators wrote the same two words for this text.",
    ),
    "unknown": _sign(1, "“{word}” is in no dictionary here."),
    "invisible": _sign(
        1,
        "“{word}” holds a character that does not show.",
        "“{word}” holds {n} characters that do not show.",
    ),
    "hasty": _sign(3, "Read and answered at {n} words per minute."),
    "pasted": _sign(2, "“{word}” was pasted."),
    "flagged": _sign(
        0, "There is evidence about one of its answers.", "There is evidence about {n} answers."
    ),
}


@dataclass(frozen=True, slots=True)
class Answered:
    """What is known of an answer."""

    response: int
    assignment: int
    context: int
    words: tuple[str, str]
    text: str
    targets: tuple[str, str, str, str]
    rating: Decimal | None
    seconds: float | None
    pasted: tuple[bool, bool]


def tell(piece: Piece, words: tuple[str, str] = ("", "")) -> str:
    """A piece of evidence as a sentence beside an answer with these words."""
    sign = SIGNS[piece.code]
    word = words[piece.which - 1] if piece.which else ""
    for character in list_invisible(word):  # some would turn the sentence round
        word = word.replace(character, "")
    return (sign.one if piece.n == 1 else sign.many).format(word=word, n=f"{piece.n:,}")


def weigh(pieces: Iterable[Piece]) -> int:
    """How risky evidence makes an answer."""
    return min(sum(SIGNS[piece.code].weight for piece in pieces), LARGEST_RISK)


def sum_up(evidence: Iterable[Sequence[Piece]]) -> tuple[list[Piece], int]:
    """The evidence about a whole assignment, given that about each answer, and its weight."""
    answers = [pieces for pieces in evidence if pieces]
    constant = {piece for pieces in answers for piece in pieces if piece.code == "constant"}
    of_its_own = [[piece for piece in pieces if piece not in constant] for pieces in answers]
    n_flagged = sum(bool(pieces) for pieces in of_its_own)
    flagged = [Piece("flagged", 0, n_flagged)] if n_flagged else []
    risk = weigh([*constant, *(piece for pieces in of_its_own for piece in pieces)])
    return [*sorted(constant), *flagged], risk


def find_evidence(answers: Sequence[Answered], doubted: Set[str]) -> dict[int, list[Piece]]:
    """What is odd about each answer, by the id of the response.

    `answers`: all to one questionnaire. `doubted`: the words that are not known as words.
    """
    constant = find_constant(answers)
    written = Counter(
        (answer.assignment, word)
        for answer in answers
        for word in {_fold(word) for word in answer.words}
    )
    sharing: Counter[tuple[int, frozenset[str]]] = Counter(
        (answer.context, _as_set(answer)) for answer in answers
    )
    texts = {answer.context: answer.text for answer in answers}
    tokens = {context: _tokens(text) for context, text in texts.items()}
    found = {}
    for answer in answers:
        pieces = _about_words(answer, tokens[answer.context], doubted, written)
        if n_others := sharing[answer.context, _as_set(answer)] - 1:
            pieces.append(Piece("shared", 0, n_others))
        if (pace := words_per_minute(answer.text, answer.seconds)) > HASTY_WORDS_PER_MINUTE:
            pieces.append(Piece("hasty", 0, pace))
        if n_equal := constant.get(answer.assignment):
            pieces.append(Piece("constant", 0, n_equal))
        found[answer.response] = sorted(pieces, key=lambda p: (-SIGNS[p.code].weight, p))
    return found


def find_constant(answers: Iterable[Answered]) -> dict[int, int]:
    """Assignments all of whose ratings are the same → how many ratings those are."""
    ratings: defaultdict[int, list[Decimal]] = defaultdict(list)
    for answer in answers:
        if answer.rating is not None:
            ratings[answer.assignment].append(answer.rating)
    return {
        assignment: len(given)
        for assignment, given in ratings.items()
        if len(given) >= FEWEST_RATINGS and len(set(given)) == 1
    }


def words_per_minute(text: str, seconds: float | None) -> int:
    """How fast a text was read, were all the time spent on that; 0 if the time is unknown.

    >>> words_per_minute("one two three", 1.5), words_per_minute("one", None)
    (120, 0)
    """
    if seconds is None:
        return 0
    return min(round(len(text.split()) * 60 / max(seconds, 0.1)), 9999)


def _about_words(
    answer: Answered,
    tokens: Set[str],
    doubted: Set[str],
    written: Mapping[tuple[int, str], int],
) -> list[Piece]:
    targets = {_fold(target) for target in answer.targets}
    folded = [_fold(word) for word in answer.words]
    both = set(folded) <= targets and _of_both(folded, answer.targets)
    pieces = [Piece("targets")] if both else []
    for which, word in enumerate(folded, 1):
        if word in targets:
            pieces += [] if both else [Piece("target", which)]
        elif word in tokens:
            pieces.append(Piece("copied", which))
        elif answer.words[which - 1] in doubted:
            pieces.append(Piece("unknown", which))
        if n_others := written[answer.assignment, word] - 1:
            pieces.append(Piece("repeated", which, n_others))
        if n_invisible := len(list_invisible(answer.words[which - 1])):
            pieces.append(Piece("invisible", which, n_invisible))
        if answer.pasted[which - 1]:
            pieces.append(Piece("pasted", which))
    return pieces


def _of_both(words: Sequence[str], targets: tuple[str, str, str, str]) -> bool:
    """Whether one word is a form of the first target and the other of the second."""
    first, second = ({_fold(target) for target in half} for half in (targets[:2], targets[2:]))
    one, two = words
    return (one in first and two in second) or (one in second and two in first)


def _as_set(answer: Answered) -> frozenset[str]:
    return frozenset(_fold(word) for word in answer.words)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(_fold(text)))


def _fold(text: str) -> str:
    """A text for comparisons: characters that do not show make no word another one."""
    return remove_invisible(text).casefold()
