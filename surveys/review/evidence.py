"""Evidence about answers to a questionnaire, such as copied words; never a verdict.

A piece of evidence contains no word: it refers to the first or second inspired word, which is
inserted only when it is shown with the answer.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import combinations
from math import ceil
from typing import NamedTuple

from postprocess.formats.invisible import fold, list_invisible, remove_invisible
from surveys.review.spelling import find_lemma

HASTY_WORDS_PER_MINUTE = 500  # twice as fast as silent reading: 238 (Brysbaert, 2019)
UNREAD_WORDS_PER_MINUTE = 2000  # faster than any skimming; the figure is of no use from here on
MIN_RATINGS = 5  # fewer may be equal by chance
INSTANT_SECONDS = 1  # on page 2; ratings given within it deviate most from other people's
INSTANT_SHARE = 0.25
UNLIKELY_ORDER = 0.001  # the p-value of an order of ratings
FEWEST_TWIN_TEXTS, TWIN_SHARE = 3, 0.15  # with the same two words as one other annotator
DIGRAPHIC = {"sr", "sh", "bs", "uz", "kk", "az", "tt", "tk"}  # written in Latin, too
MAX_RISK = 1000
WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")


class Piece(NamedTuple):
    """A piece of evidence: its code, the inspired word concerned (0 for none), and a number."""

    code: str
    which: int = 0
    n: int = 0


class Sign(NamedTuple):
    """A code's weight, and its sentences in singular and plural."""

    weight: int
    one: str
    many: str = ""  # as for one


ORDERS = {
    "run": "{n} texts in a row have the same rating",
    "turns": "two ratings alternate for {n} texts in a row",
    "rhythm": "{n} % are equal to the rating two, three or four texts before, whichever is most",
    "steps": "{n} % differ from the rating before by the same number of points",
}
RARE = "Fewer than 1 of 1,000 honest people give their ratings in such an order."
SIGNS = {
    "constant": Sign(4, "All {n} ratings of this questionnaire are the same."),
    **{code: Sign(4, f"Order of ratings: {pattern}. {RARE}") for code, pattern in ORDERS.items()},
    "instant": Sign(
        3,
        "{n} ratings were given within a second of seeing the scale: a quarter or more of all. In "
        "a study with measured times, 2 of 68 people did so.",
    ),
    "twin": Sign(
        3,
        "The same two words as one other annotator in {n} texts. Of people who write their own "
        "words, 0.2 to 3 of 100 have that many.",
    ),
    "targets": Sign(6, "Both words are the targets of page 2, which page 1 does not show."),
    "target": Sign(3, "“{word}” is a target of page 2, or its form; page 1 does not show it."),
    "copied": Sign(2, "“{word}” is copied from the text."),
    "form": Sign(2, "“{word}” is a form of “{source}” in the text."),
    "repeated": Sign(
        2,
        "“{word}” was written for another text, too.",
        "“{word}” was written for {n} other texts.",
    ),
    "shared": Sign(
        1,
        "Another annotator wrote the same two words for this text.",
        "{n} other annotators wrote the same two words for this text.",
    ),
    "letters": Sign(
        2, "“{word}” has unlikely letters for its language, and no dictionary of this site has it."
    ),
    "script": Sign(1, "“{word}” is written in another script than the texts."),
    "unknown": Sign(0, "“{word}” is not in the dictionaries of this site."),  # of earlier evidence
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
OF_WHOLE = {"constant", "instant", "twin", *ORDERS}  # evidence about a questionnaire
UNREAD = (
    "Answered without time to read: at over 2,000 words per minute; most people read about 240."
)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer with everything that evidence is derived from.

    `words` are inspired words; both are empty if page 1 does not ask for some. `seconds` are those
    for reading `text`.
    """

    response: int
    assignment: int
    context: int
    words: tuple[str, str]
    text: str
    targets: tuple[str, str, str, str]
    rating: Decimal | None
    seconds: float | None
    pasted: tuple[bool, bool]
    position: int = 0
    is_checkpoint: bool = False
    rating_seconds: float | None = None


class _Text(NamedTuple):
    """A text's words, a position for each lemma, and the scripts of all texts."""

    forms: frozenset[str]
    lemmas: Mapping[str, int]
    scripts: Set[str]


def describe(piece: Piece, words: tuple[str, str] = ("", ""), text: str = "") -> str:
    """Return a piece of evidence as a sentence about an answer with these words to a text."""
    sign = SIGNS[piece.code]
    word = words[piece.which - 1] if piece.which else ""
    for character in list_invisible(word):  # some reverse the direction of the sentence
        word = word.replace(character, "")
    if piece.code == "hasty" and piece.n >= UNREAD_WORDS_PER_MINUTE:
        return UNREAD
    source = list_tokens(text)[piece.n - 1 : piece.n] if piece.code == "form" else []
    sentence = sign.one if piece.n == 1 else sign.many or sign.one
    return sentence.format(word=word, n=f"{piece.n:,}", source="".join(source))


def weigh(pieces: Iterable[Piece]) -> int:
    """Return an answer's risk: its evidence's weights added up."""
    return min(sum(SIGNS[piece.code].weight for piece in pieces), MAX_RISK)


def sum_up(evidence: Iterable[Sequence[Piece]]) -> tuple[list[Piece], int]:
    """Return the evidence about an assignment and its weight, from that about each answer."""
    answers = [pieces for pieces in evidence if pieces]
    whole = {piece for pieces in answers for piece in pieces if piece.code in OF_WHOLE}
    individual = [[piece for piece in pieces if piece not in whole] for pieces in answers]
    n_flagged = sum(bool(pieces) for pieces in individual)
    flagged = [Piece("flagged", 0, n_flagged)] if n_flagged else []
    risk = weigh([*whole, *(piece for pieces in individual for piece in pieces)])
    return [*sorted(whole), *flagged], risk


def find_evidence(
    answers: Sequence[Answered], doubted: Set[str], language: str = ""
) -> dict[int, list[Piece]]:
    """Return the evidence about each of the answers to a questionnaire, by response id.

    `doubted` holds the words that no dictionary contains and whose letters are improbable. Words
    are compared by their lemmas, too, if simplemma has the language.
    """
    whole = find_whole(answers)
    written = Counter((answer.assignment, word) for answer in answers for word in _as_set(answer))
    sharing = Counter((answer.context, _as_set(answer)) for answer in answers)
    texts = {answer.context: answer.text for answer in answers}
    scripts = find_scripts("".join(texts.values()))
    if language.lower().split("-")[0] in DIGRAPHIC:
        scripts.add("LATIN")
    read = {context: _read_text(text, scripts, language) for context, text in texts.items()}
    evidence = {}
    for answer in answers:
        pieces = []
        if any(answer.words):
            pieces = _about_words(answer, read[answer.context], doubted, written, language)
            if n_others := sharing[answer.context, _as_set(answer)] - 1:
                pieces.append(Piece("shared", 0, n_others))
        if (pace := words_per_minute(answer.text, answer.seconds)) > HASTY_WORDS_PER_MINUTE:
            pieces.append(Piece("hasty", 0, pace))
        pieces += whole[answer.assignment]
        evidence[answer.response] = sorted(pieces, key=lambda p: (-SIGNS[p.code].weight, p))
    return evidence


def find_whole(answers: Sequence[Answered]) -> dict[int, list[Piece]]:
    """Return the evidence about each assignment as a whole: its ratings, and words of a twin."""
    by_assignment: defaultdict[int, list[Answered]] = defaultdict(list)
    for answer in sorted(answers, key=lambda answer: answer.position):
        by_assignment[answer.assignment].append(answer)
    evidence, n_shared = {}, _count_shared(answers)
    for assignment, given in by_assignment.items():
        rated = [answer for answer in given if not answer.is_checkpoint]
        evidence[assignment] = about_ratings([(a.rating, a.rating_seconds) for a in rated])
        if (n := n_shared[assignment]) >= max(FEWEST_TWIN_TEXTS, ceil(TWIN_SHARE * len(given))):
            evidence[assignment].append(Piece("twin", 0, n))
    return evidence


def about_ratings(answers: Sequence[tuple[Decimal | None, float | None]]) -> list[Piece]:
    """Return the evidence about ratings in the order of the texts, each with the seconds it took.

    Checkpoints are to be left out: their ratings are prescribed.
    """
    from surveys.review.order import measure_order  # loads NumPy

    given = [(rating, seconds) for rating, seconds in answers if rating is not None]
    pieces = []
    if len(given) >= MIN_RATINGS and len({rating for rating, _ in given}) == 1:
        pieces.append(Piece("constant", 0, len(given)))
    n_instant = sum(seconds is not None and seconds < INSTANT_SECONDS for _, seconds in given)
    if n_instant >= max(MIN_RATINGS, INSTANT_SHARE * len(given)):
        pieces.append(Piece("instant", 0, n_instant))
    order = measure_order([float(rating) for rating, _ in given])
    if order and order.pvalue <= UNLIKELY_ORDER:
        pieces.append(Piece(order.pattern, 0, order.extent))
    return pieces


def _count_shared(answers: Iterable[Answered]) -> Counter[int]:
    """Return the largest number of texts with the same two words as one other, by assignment."""
    writers: defaultdict[tuple[int, frozenset[str]], list[int]] = defaultdict(list)
    for answer in answers:
        if any(answer.words):
            writers[answer.context, _as_set(answer)].append(answer.assignment)
    n_texts = Counter(pair for ids in writers.values() for pair in combinations(sorted(ids), 2))
    most: Counter[int] = Counter()
    for pair, n in n_texts.items():
        for assignment in pair:
            most[assignment] = max(most[assignment], n)
    return most


def count_seconds(
    visible: float | None, shown_at: datetime | None, sent_at: datetime | None
) -> float | None:
    """Return the seconds for which a page was visible, otherwise from showing to sending it."""
    if visible is None and shown_at and sent_at:
        return (sent_at - shown_at).total_seconds()
    return visible


def are_equal(word: str, other: str) -> bool:
    """Return whether two words differ in case and invisible characters at most."""
    return fold(word) == fold(other)


def words_per_minute(text: str, seconds: float | None) -> int:
    """Return the reading speed if all the time was spent on reading; 0 if the time is unknown.

    At most `UNREAD_WORDS_PER_MINUTE`.

    >>> words_per_minute("one two three", 1.5), words_per_minute("one", None)
    (120, 0)
    """
    if seconds is None:
        return 0
    return min(round(len(text.split()) * 60 / max(seconds, 0.1)), UNREAD_WORDS_PER_MINUTE)


def list_tokens(text: str) -> list[str]:
    """Return the words of a text, without invisible characters."""
    return WORD.findall(remove_invisible(text))


def find_scripts(text: str) -> set[str]:
    """Return the scripts of a text's letters, by the first word of their Unicode names.

    >>> sorted(find_scripts("1 a б")), find_scripts("😀")
    (['CYRILLIC', 'LATIN'], set())
    """
    return {unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha()}


def _read_text(text: str, scripts: Set[str], language: str) -> _Text:
    forms = [fold(token) for token in list_tokens(text)]
    lemmas = {find_lemma(form, language): place for place, form in enumerate(forms, 1)}
    return _Text(frozenset(forms), lemmas, scripts)


def _about_words(
    answer: Answered,
    text: _Text,
    doubted: Set[str],
    written: Mapping[tuple[int, str], int],
    language: str,
) -> list[Piece]:
    first, second = (_list_forms(answer.targets[n : n + 2], language) for n in (0, 2))
    forms = [_list_forms([word], language) for word in answer.words]
    both = any(form1 & first and form2 & second for form1, form2 in (forms, forms[::-1]))
    pieces = [Piece("targets")] if both else []
    for which, word in enumerate(map(fold, answer.words), 1):
        scripts = find_scripts(word)
        if forms[which - 1] & (first | second):
            pieces += [] if both else [Piece("target", which)]
        elif word in text.forms:
            pieces.append(Piece("copied", which))
        elif places := [text.lemmas[form] for form in forms[which - 1] & text.lemmas.keys()]:
            pieces.append(Piece("form", which, min(places)))
        elif scripts and text.scripts and not scripts & text.scripts:
            pieces.append(Piece("script", which))
        elif answer.words[which - 1] in doubted:
            pieces.append(Piece("letters", which))
        if n_others := written[answer.assignment, word] - 1:
            pieces.append(Piece("repeated", which, n_others))
        if n_invisible := len(list_invisible(answer.words[which - 1])):
            pieces.append(Piece("invisible", which, n_invisible))
        if answer.pasted[which - 1]:
            pieces.append(Piece("pasted", which))
    return pieces


def _list_forms(words: Iterable[str], language: str) -> set[str]:
    """Return the words, folded, and their lemmas."""
    folded = {fold(word) for word in words}
    return folded | {find_lemma(word, language) for word in folded}


def _as_set(answer: Answered) -> frozenset[str]:
    return frozenset(fold(word) for word in answer.words)
