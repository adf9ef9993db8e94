"""The pairs of words of a study: `pairs.tsv` with the columns word1 and word2."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from postprocess.formats.kinds import read_table
from postprocess.formats.tabular import Finding, Severity, TableError, naming_file, read_cell
from preprocess.corpora.lemmas import normalise_lemma

COLUMNS = ("word1", "word2")
SIGNS = re.compile(r"[\t,;]")


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words in dictionary form."""

    word1: str
    word2: str


def load_pairs(path: Path) -> tuple[list[WordPair], list[Finding]]:
    """Read the file with the pairs of a study.

    Raises OSError, and as `read_pairs`, naming the file.
    """
    with naming_file(path):
        return read_pairs(path.read_bytes())


def read_pairs(data: bytes) -> tuple[list[WordPair], list[Finding]]:
    """Return the pairs of a study, in the order of the file, and warnings.

    Further columns and spaces around a word are ignored, and so is a pair that was there before,
    also the other way round. Raises TableError with every row that is unusable.
    """
    table = read_table(data, COLUMNS)
    rows = {row: WordPair(*map(read_word, fields)) for row, fields in table.rows.items()}
    pairs, warnings = list_pairs(rows, table.findings)
    return [*pairs.values()], warnings


def read_word(field: str) -> str:
    """Return the word of a field, without spaces around it and double spaces in it."""
    return " ".join(read_cell(field).split())


def read_listed_pairs(text: str) -> tuple[list[WordPair], list[Finding]]:
    r"""Return pairs written one a line, with a tab, comma, semicolon or space between the words.

    Empty lines are left out, and so is a header as in a file. Raises TableError, by lines.

    >>> read_listed_pairs("word1 word2\n\nsea, river")
    ([WordPair(word1='sea', word2='river')], [])
    """
    lines = {n: _split_line(line) for n, line in enumerate(text.splitlines(), 1) if line.strip()}
    rows = {number: words for number, words in lines.items() if words != list(COLUMNS)}
    advice = "write two words with a comma between them"
    if findings := [
        Finding(Severity.ERROR, _count_words(words), number, advice=advice)
        for number, words in rows.items()
        if len(words) != len(COLUMNS)
    ]:
        raise TableError(findings)
    pairs, warnings = list_pairs({n: WordPair(*words) for n, words in rows.items()}, [])
    return [*pairs.values()], warnings


def _count_words(words: Sequence[str]) -> str:
    return f"{len(words)} word{'' if len(words) == 1 else 's'} instead of two"


def _split_line(line: str) -> list[str]:
    return (
        [" ".join(word.split()) for word in SIGNS.split(line)]
        if SIGNS.search(line)
        else line.split()
    )


def list_pairs(
    rows: Mapping[int, WordPair], found: Iterable[Finding]
) -> tuple[dict[int, WordPair], list[Finding]]:
    """Return the pairs by row without repetitions, and warnings. Raises TableError."""
    findings = list(found)
    pairs: dict[frozenset[str], tuple[int, WordPair]] = {}
    for row, pair in rows.items():
        findings += _check_pair(row, pair)
        words = frozenset(map(normalise_lemma, (pair.word1, pair.word2)))
        first, _ = pairs.setdefault(words, (row, pair))
        if first != row:
            what = f"the same pair as in row {first}, read once"
            findings.append(Finding(Severity.WARNING, what, row))
    if not rows and not findings:
        findings.append(Finding(Severity.ERROR, "there are no pairs", advice="add some"))
    if errors := [finding for finding in findings if finding.severity is not Severity.WARNING]:
        raise TableError(errors)
    return dict(pairs.values()), [finding for finding in findings if finding.row is not None]


def _check_pair(row: int, pair: WordPair) -> Iterator[Finding]:
    for column in COLUMNS:
        if not getattr(pair, column):
            yield Finding(Severity.ERROR, "the field is empty", row, column, advice="fill it in")
    if normalise_lemma(pair.word1) == normalise_lemma(pair.word2):
        yield Finding(Severity.ERROR, "both words are the same", row, advice="remove the row")
