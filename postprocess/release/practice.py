"""The practice kit: pairs taken out of the test data, and the proof that they are."""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from postprocess.formats.marks import plain_text
from postprocess.formats.stimuli import COLUMNS
from postprocess.formats.tabular import Severity, TableError, read_table
from postprocess.release.errors import ReleaseError
from postprocess.table.ratings import name_some

Row = Sequence[str]  # in the order of `stimuli.COLUMNS`


@dataclass(frozen=True)
class Split:
    """Which rows of the stimuli are test data and which practice, each in file order, from 0."""

    test: tuple[int, ...]
    practice: tuple[int, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """The rows in the order of a release: test, then practice."""
        return (*self.test, *self.practice)


def split_pairs(rows: Sequence[Row], n_practice: int, *, seed: int = 0) -> Split:
    """Choose practice pairs that have nothing in common with those that stay.

    Rows that share their two words or a text are joined, and go together or not at all. Which
    ones go follows from the seed and from their own words and texts, by a hash: not from the
    scores, and not from the order of the rows.

    Parameters
    ----------
    rows : sequence of rows
        The stimuli, in the order of `stimuli.COLUMNS`.
    n_practice : int
        How many pairs to take; 0 for none.
    seed : int
        Another seed, another choice.

    Raises
    ------
    ReleaseError
        Fewer than one pair would stay, or no choice of whole groups has that many pairs.

    Examples
    --------
    >>> rows = [(f"a{i}", f"b{i}", f"text {i}", f"other {i}", "", "", "", "") for i in range(3)]
    >>> split = split_pairs(rows, 1)
    >>> len(split.test), len(split.practice)
    (2, 1)
    """
    if not 0 <= n_practice < max(len(rows), 1):
        raise ReleaseError(
            f"a practice kit of {n_practice} pairs cannot be taken from {len(rows)}: it must "
            "leave a pair to test on"
        )
    groups = sorted(_join(rows), key=lambda group: _draw(rows, group, seed))
    chosen: set[int] = set()
    for group in groups:
        if len(chosen) + len(group) <= n_practice:
            chosen.update(group)
    if len(chosen) < n_practice:
        raise ReleaseError(
            f"a practice kit of {n_practice} pairs cannot be taken: the pairs left over share "
            f"words or texts with others; ask for {len(chosen)}"
        )
    numbers = range(len(rows))
    return Split(
        tuple(n for n in numbers if n not in chosen), tuple(n for n in numbers if n in chosen)
    )


def check_disjoint(files: Mapping[str, bytes], test: str, practice: str) -> None:
    """Read two files of a release and make sure that they share nothing.

    Parameters
    ----------
    files : mapping
        Relative path → content, as written.
    test, practice : str
        Paths of two files with the columns of the stimuli.

    Raises
    ------
    ReleaseError
        They share a pair of words (in either order, whatever the letter case, in Unicode's
        composed form) or a text (without marks, whatever the letter case and spacing).
    TableError
        One of them cannot be read.
    """
    first, second = (_read(files[name]) for name in (test, practice))
    problems = [
        problem
        for kind, key_of in (("pair of words", _pair_keys), ("text", _text_keys))
        for problem in _shared(kind, key_of, first, second)
    ]
    if problems:
        raise ReleaseError(
            f"{practice} and {test} are not disjoint, and nothing was written:\n"
            + "\n".join(problems)
        )


def fold(text: str) -> str:
    r"""A text as it is compared: no difference of letter case, composition or spacing.

    >>> fold("C\u030cE  \u0161") == fold("\u010de s\u030c")
    True
    """
    caseless = unicodedata.normalize("NFD", text).casefold()
    return " ".join(unicodedata.normalize("NFC", caseless).split())


def _pair_keys(row: Row) -> tuple[str, ...]:
    return ("\t".join(sorted(map(fold, row[:2]))),)


def _text_keys(row: Row) -> tuple[str, ...]:
    return tuple(fold(plain_text(context)) for context in row[2:4])


def _join(rows: Sequence[Row]) -> list[list[int]]:
    """The rows in groups that share nothing with each other."""
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
    """The place of a group in the drawing; the same wherever its rows stand in the file."""
    keys = sorted("\n".join((*_pair_keys(rows[n]), *_text_keys(rows[n]))) for n in group)
    return hashlib.sha256("\0".join((str(seed), *keys)).encode()).digest()


def _read(content: bytes) -> list[Row]:
    table = read_table(content, COLUMNS)
    if bad := [f for f in table.findings if f.severity is not Severity.WARNING]:
        raise TableError(bad)
    return list(table.rows.values())


def _shared(
    kind: str, keys_of: Callable[[Row], tuple[str, ...]], test: list[Row], practice: list[Row]
) -> Iterator[str]:
    """A line for what practice shares with test, if anything."""
    known = {key for row in test for key in keys_of(row)}
    rows = [n for n, row in enumerate(practice, 1) if known.intersection(keys_of(row))]
    if rows:
        yield f"the same {kind}: {name_some([f'row {n} of the practice kit' for n in rows])}"
