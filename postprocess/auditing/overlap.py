"""Practice pairs that are also in the test data."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from postprocess.auditing.reconstruction.printed import agree
from postprocess.formats.marks import plain_text
from postprocess.formats.tabular import fold

Row = Sequence[str]  # in the order of `stimuli.COLUMNS`
Scores = tuple[float, float]  # of the two contexts, as printed


@dataclass(frozen=True)
class Pairs:
    """A file's pairs: rows by number, and the scores of scored rows."""

    name: str
    rows: Mapping[int, Row]
    scores: Mapping[int, Scores]


@dataclass(frozen=True, slots=True)
class Overlap:
    """A practice pair that is also in the test data.

    `is_whole`: the words and both texts are the same, not only one text; `is_swapped`: the two
    texts are exchanged; `has_same_scores` is None if one of the rows has no scores.
    """

    row: int
    test_row: int
    is_whole: bool
    is_swapped: bool
    has_same_scores: bool | None


def find_overlap(practice: Pairs, test: Pairs) -> Iterator[Overlap]:
    """Find the practice pairs that share both texts, or one text, with the test data.

    Texts and words are compared without marks, letter case, spacing and Unicode normal form, and
    words in either order. The same words with other texts are another pair.
    """
    rows_with: dict[str, list[int]] = defaultdict(list)
    texts = {number: _texts(row) for number, row in test.rows.items()}
    for number, (first, second) in texts.items():
        rows_with[first].append(number)
        rows_with[second].append(number)
    for number, row in practice.rows.items():
        pair = _texts(row)
        sharing = list(dict.fromkeys(n for text in pair for n in rows_with[text]))
        whole = [
            n for n in sharing if set(texts[n]) == set(pair) and _words(test.rows[n]) == _words(row)
        ]
        if whole:
            is_swapped = texts[whole[0]] != pair
            same = _same_scores(practice.scores.get(number), test.scores.get(whole[0]), is_swapped)
            yield Overlap(number, whole[0], True, is_swapped, same)
        elif sharing:
            yield Overlap(number, sharing[0], False, False, None)


def _texts(row: Row) -> tuple[str, str]:
    return fold(plain_text(row[2])), fold(plain_text(row[3]))


def _words(row: Row) -> frozenset[str]:
    return frozenset((fold(row[0]), fold(row[1])))


def _same_scores(practice: Scores | None, test: Scores | None, is_swapped: bool) -> bool | None:
    if practice is None or test is None:
        return None
    ordered = test[::-1] if is_swapped else test
    return agree(practice, ordered)
