"""Choosing the pairs of the practice kit, and checking that the test data shares none."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from postprocess.formats.kinds import read_table
from postprocess.formats.marks import plain_text
from postprocess.formats.tabular import TableError, fold
from postprocess.release import ReleaseError
from postprocess.table.ratings import name_some

Row = Sequence[str]  # two words, then their texts
COMPARED = (("word1",), ("word2",), ("context1", "text1"), ("context2", "text2"))


@dataclass(frozen=True)
class Split:
    """The rows of the stimuli that are test data and practice pairs, from 0, in file order.

    `unscored`: the rows that are neither, because a context has no score.
    """

    test: tuple[int, ...]
    practice: tuple[int, ...]
    unscored: tuple[int, ...] = ()

    @property
    def order(self) -> tuple[int, ...]:
        """All rows in the order of a release: test, practice, without a score."""
        return (*self.test, *self.practice, *self.unscored)

    @property
    def is_reordered(self) -> bool:
        """Whether this order differs from the stimuli's."""
        return bool(self.practice or self.unscored)


def find_compared(columns: Sequence[str]) -> list[str]:
    """Return which columns of a file have the words and the texts, if there are any.

    >>> find_compared(["id", "word1", "word2", "pos"])
    ['word1', 'word2']
    """
    return [name for names in COMPARED for name in names if name in columns]


def take_compared(columns: Sequence[str], rows: Iterable[Row]) -> list[Row]:
    """Return the words and the texts of rows of a file with these columns."""
    places = [columns.index(name) for name in find_compared(columns)]
    return [[row[place] for place in places] for row in rows]


def split_pairs(
    rows: Sequence[Row], n_practice: int, *, seed: int = 0, unscored: Collection[int] = ()
) -> Split:
    """Choose practice pairs that share no word pair and no text with the remaining pairs.

    `unscored` are rows that cannot be chosen, and do not remain either.

    Rows that share their two words or a text are chosen together or not at all. The choice depends
    on a hash of the seed and of the rows' words and texts, not on the scores or on the order of the
    rows. Raises ReleaseError if no pair would remain, or if whole groups cannot add up to
    `n_practice` pairs.

    >>> rows = [(f"a{i}", f"b{i}", f"text {i}", f"other {i}", "", "", "", "") for i in range(3)]
    >>> split = split_pairs(rows, 1)
    >>> len(split.test), len(split.practice)
    (2, 1)
    """
    numbers = [number for number in range(len(rows)) if number not in set(unscored)]
    rows = [rows[number] for number in numbers]
    if not 0 <= n_practice < max(len(rows), 1):
        raise ReleaseError(
            f"a practice kit of {n_practice} pairs cannot be taken from {len(rows)}: at least one "
            "pair must remain as test data"
        )
    groups = sorted(_join(rows), key=lambda group: _draw(rows, group, seed))
    chosen: set[int] = set()
    for group in groups:
        if len(chosen) + len(group) <= n_practice:
            chosen.update(group)
    if len(chosen) < n_practice:
        raise ReleaseError(
            f"a practice kit of {n_practice} pairs cannot be taken: the remaining pairs share "
            f"words or texts with others; try {len(chosen)}"
        )
    return Split(
        tuple(number for place, number in enumerate(numbers) if place not in chosen),
        tuple(number for place, number in enumerate(numbers) if place in chosen),
        tuple(sorted(unscored)),
    )


def check_disjoint(files: Mapping[str, bytes], test: str, practice: str) -> None:
    """Check that two files of a release, given by their paths, share no word pair and no text.

    Raises ReleaseError if they share a word pair (in either order, ignoring case, in Unicode's
    composed form) or a text (without marks, ignoring case and spacing), TableError if a file cannot
    be read.
    """
    first, second = (_read(files[name]) for name in (test, practice))
    problems = [
        problem
        for kind, key_of in (("word pair", _pair_keys), ("text", _text_keys))
        for problem in _shared(kind, key_of, first, second)
    ]
    if problems:
        raise ReleaseError(
            f"{practice} and {test} are not disjoint, and nothing was written:\n"
            + "\n".join(problems)
        )


def _pair_keys(row: Row) -> tuple[str, ...]:
    return ("\t".join(sorted(map(fold, row[:2]))),)


def _text_keys(row: Row) -> tuple[str, ...]:
    return tuple(fold(plain_text(context)) for context in row[2:4])


def _join(rows: Sequence[Row]) -> list[list[int]]:
    """Return the rows in groups that share no word pair and no text with each other."""
    group_of = list(range(len(rows)))

    def find(row: int) -> int:
        while group_of[row] != row:
            group_of[row] = group_of[group_of[row]]
            row = group_of[row]
        return row

    first_with: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows):
        keys = [("pair", key) for key in _pair_keys(row)] + [("text", k) for k in _text_keys(row)]
        for key in keys:
            group_of[find(number)] = find(first_with.setdefault(key, number))
    groups: dict[int, list[int]] = defaultdict(list)
    for number in range(len(rows)):
        groups[find(number)].append(number)
    return list(groups.values())


def _draw(rows: Sequence[Row], group: Iterable[int], seed: int) -> bytes:
    """Return the sort key of a group; it does not depend on the order of the rows."""
    keys = sorted("\n".join((*_pair_keys(rows[n]), *_text_keys(rows[n]))) for n in group)
    return hashlib.sha256("\0".join((str(seed), *keys)).encode()).digest()


def _read(content: bytes) -> list[Row]:
    header = content.partition(b"\n")[0].decode().split("\t")
    table = read_table(content, find_compared(header))
    if bad := table.errors:
        raise TableError(bad)
    return list(table.rows.values())


def _shared(
    kind: str, keys_of: Callable[[Row], tuple[str, ...]], test: list[Row], practice: list[Row]
) -> Iterator[str]:
    """Yield a line that names the practice rows with a key that occurs in the test data."""
    test_keys = {key for row in test for key in keys_of(row)}
    rows = [n for n, row in enumerate(practice, 1) if test_keys.intersection(keys_of(row))]
    if rows:
        named = name_some([str(n) for n in rows])
        yield f"the same {kind}: {'row' if len(rows) == 1 else 'rows'} {named} of the practice kit"
