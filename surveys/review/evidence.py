"""Evidence about answers to a questionnaire, such as copied words; never a verdict.

A piece of evidence contains no word: it refers to the first or second inspired word, which is
inserted only when it is shown with the answer.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from postprocess.formats.invisible import list_invisible, remove_invisible

HASTY_WORDS_PER_MINUTE = 500  # twice as fast as silent reading: 238 (Brysbaert, 2019)
UNREAD_WORDS_PER_MINUTE = 2000  # faster than any skimming; the figure is of no use from here on
MIN_RATINGS = 5  # fewer may be equal by chance
MAX_RISK = 1000
WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")


class Piece(NamedTuple):
    """A piece of evidence: its code, the inspired word concerned (0 for none), and a number."""

    code: str
    which: int = 0
    n: int = 0


class Sign(NamedTuple):
    """Weight of a code, and its sentence for one and for several."""

    weight: int
    one: str
    many: str = ""  # as for one


SIGNS = {
    "constant": Sign(4, "All {n} ratings of this questionnaire are the same."),
    "targets": Sign(6, "Both words are the targets of page 2, which page 1 does not show."),
    "target": Sign(3, "“{word}” is a target of page 2, which page 1 does not show."),
    "copied": Sign(2, "“{word}” is copied from the text."),
    "repeated": Sign(
        2,
        "“{word}” was written for another text, too.",
        "“{word}” was written for {n} other texts.",
    ),
    "shared": Sign(
        3,
        "Another annotator wrote the same two words for this text.",
        "{n} other annotators wrote the same two words for this text.",
    ),
    "unknown": Sign(1, "“{word}” is not in the dictionaries of this site."),
    "invisible": Sign(
        1,
        "“{word}” contains an invisible character.",
        "“{word}” contains {n} invisible characters.",
    ),
    "hasty": Sign(3, "Read and answered at {n} words per minute; most people read about 240."),
    "pasted": Sign(2, "“{word}” was pasted."),
    "flagged": Sign(
        0, "There is evidence about one of its answers.", "There is evidence about {n} answers."
    ),
}
UNREAD = (
    "Answered without time to read: at over 2,000 words per minute; most people read about 240."
)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer with everything that evidence is derived from."""

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
    """Return a piece of evidence as a sentence about an answer with these words."""
    sign = SIGNS[piece.code]
    word = words[piece.which - 1] if piece.which else ""
    for character in list_invisible(word):  # some reverse the direction of the sentence
        word = word.replace(character, "")
    if piece.code == "hasty" and piece.n >= UNREAD_WORDS_PER_MINUTE:
        return UNREAD
    text = sign.one if piece.n == 1 else sign.many or sign.one
    return text.format(word=word, n=f"{piece.n:,}")


def weigh(pieces: Iterable[Piece]) -> int:
    """Return the risk of an answer: the sum of the weights of its evidence."""
    return min(sum(SIGNS[piece.code].weight for piece in pieces), MAX_RISK)


def sum_up(evidence: Iterable[Sequence[Piece]]) -> tuple[list[Piece], int]:
    """Return the evidence about an assignment and its weight, from that about each answer."""
    answers = [pieces for pieces in evidence if pieces]
    constant = {piece for pieces in answers for piece in pieces if piece.code == "constant"}
    individual = [[piece for piece in pieces if piece not in constant] for pieces in answers]
    n_flagged = sum(bool(pieces) for pieces in individual)
    flagged = [Piece("flagged", 0, n_flagged)] if n_flagged else []
    risk = weigh([*constant, *(piece for pieces in individual for piece in pieces)])
    return [*sorted(constant), *flagged], risk


def find_evidence(answers: Sequence[Answered], doubted: Set[str]) -> dict[int, list[Piece]]:
    """Return the evidence about each of the answers to a questionnaire, by response id.

    `doubted` holds the words that no dictionary contains.
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
    """Return the number of ratings of each assignment whose ratings are all the same."""
    ratings: defaultdict[int, list[Decimal]] = defaultdict(list)
    for answer in answers:
        if answer.rating is not None:
            ratings[answer.assignment].append(answer.rating)
    return {
        assignment: len(given)
        for assignment, given in ratings.items()
        if len(given) >= MIN_RATINGS and len(set(given)) == 1
    }


def words_per_minute(text: str, seconds: float | None) -> int:
    """Return the reading speed if all the time was spent on reading; 0 if the time is unknown.

    At most `UNREAD_WORDS_PER_MINUTE`.

    >>> words_per_minute("one two three", 1.5), words_per_minute("one", None)
    (120, 0)
    """
    if seconds is None:
        return 0
    return min(round(len(text.split()) * 60 / max(seconds, 0.1)), UNREAD_WORDS_PER_MINUTE)


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
    """Return whether one word is a form of the first target and the other of the second."""
    first, second = ({_fold(target) for target in half} for half in (targets[:2], targets[2:]))
    one, two = words
    return (one in first and two in second) or (one in second and two in first)


def _as_set(answer: Answered) -> frozenset[str]:
    return frozenset(_fold(word) for word in answer.words)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(_fold(text)))


def _fold(text: str) -> str:
    """Normalise a text for comparisons: ignore letter case and invisible characters."""
    return remove_invisible(text).casefold()
