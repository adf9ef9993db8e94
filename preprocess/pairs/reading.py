"""The pairs of words of a study: `pairs.tsv` with the columns word1 and word2."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from postprocess.formats.tabular import Finding, Severity, TableError, read_cell, read_table
from preprocess.corpora.lemmas import normalise_lemma

COLUMNS = ("word1", "word2")


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words in dictionary form."""

    word1: str
    word2: str


def load_pairs(path: Path) -> tuple[list[WordPair], list[Finding]]:
    """Read the pairs of a study, in file order, and warnings.

    Further columns are ignored, and so is a pair that was there before, also the other way round.
    Raises OSError, and TableError with every row that is unusable.
    """
    table = read_table(path.read_bytes(), COLUMNS)
    findings = list(table.findings)
    pairs: dict[frozenset[str], tuple[int, WordPair]] = {}
    for row, fields in table.rows.items():
        pair = WordPair(*map(read_cell, fields))
        findings += _check_pair(row, pair)
        words = frozenset(map(normalise_lemma, (pair.word1, pair.word2)))
        first, _ = pairs.setdefault(words, (row, pair))
        if first != row:
            what = f"the same pair as in row {first}, read once"
            findings.append(Finding(Severity.WARNING, what, row))
    if not table.rows:
        findings.append(Finding(Severity.ERROR, "the file has no pairs", advice="add rows"))
    if errors := [one for one in findings if one.severity is not Severity.WARNING]:
        raise TableError(errors)
    return [pair for _, pair in pairs.values()], [one for one in findings if one.row is not None]


def _check_pair(row: int, pair: WordPair) -> Iterator[Finding]:
    for column in COLUMNS:
        word = getattr(pair, column)
        if not word.strip():
            yield Finding(Severity.ERROR, "the field is empty", row, column, advice="fill it in")
        elif word != word.strip():
            what = "there is a space before or after the word"
            yield Finding(Severity.ERROR, what, row, column, advice="remove it")
    if normalise_lemma(pair.word1) == normalise_lemma(pair.word2):
        yield Finding(Severity.ERROR, "both words are the same", row, advice="remove the row")
