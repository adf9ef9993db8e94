"""Baselines that know the words and not their contexts, whose predicted change is always 0."""

import gzip
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from postprocess.baselines.errors import BaselineError
from postprocess.formats.kinds import read_table
from postprocess.formats.stimuli import StimulusPair
from postprocess.formats.tabular import Finding, Severity, TableError, read_cell
from postprocess.types import Floats

WORDS = ("word1", "word2")


class Known(NamedTuple):
    """Predictions by a list of words, shape (n_pairs, 2), and what the list lacks."""

    similarities: Floats
    missing: list[str]


def predict_static(pairs: Sequence[StimulusPair], vectors: Path) -> Known:
    """Predict the cosine of the vectors of the dictionary forms.

    Parameters
    ----------
    pairs : sequence of StimulusPair
        Of the data file.
    vectors : Path
        A text in the format of word2vec or GloVe, also compressed (.gz): a word and its numbers in
        each line, separated by spaces. A word is looked up as it is written, and then without
        letter case.

    Returns
    -------
    Known
        A pair with a missing word has the mean of the others; `missing` are the words.

    Raises
    ------
    BaselineError
        The file has no word of any pair, or a line that cannot be read.
    OSError
        The file cannot be read.
    """
    words = {word for pair in pairs for word in (pair.word1, pair.word2)}
    of_word = _read_vectors(vectors, words)
    missing = sorted(words - of_word.keys())

    def cosine(pair: StimulusPair) -> float | None:
        if pair.word1 not in of_word or pair.word2 not in of_word:
            return None
        first, second = of_word[pair.word1], of_word[pair.word2]
        size = float(np.linalg.norm(first) * np.linalg.norm(second))
        return float(first @ second) / size if size > 0 else None

    return Known(_predict_pairs(pairs, cosine, vectors), missing)


def predict_scores(
    pairs: Sequence[StimulusPair], data: bytes, column: str = "score", source: Path | None = None
) -> Known:
    """Predict the scores of a list of word pairs, such as SimLex-999.

    Parameters
    ----------
    pairs : sequence of StimulusPair
        Of the data file.
    data : bytes
        A table with the columns word1, word2 and that of the scores; the order of
        the two words and letter case do not matter.
    column : str
        The name of the column of the scores.
    source : Path, optional
        The name of the table in messages.

    Returns
    -------
    Known
        A pair that is missing has the mean of the others; `missing` are these pairs.

    Raises
    ------
    BaselineError
        The table has no pair.
    TableError
        Rows cannot be read.
    """
    scores = _read_scores(data, column)
    missing = [
        f"{pair.word1} – {pair.word2}"
        for pair in pairs
        if _key(pair.word1, pair.word2) not in scores
    ]
    predictions = _predict_pairs(
        pairs, lambda pair: scores.get(_key(pair.word1, pair.word2)), source or Path("the table")
    )
    return Known(predictions, missing)


def _predict_pairs(
    pairs: Sequence[StimulusPair], predict: Callable[[StimulusPair], float | None], source: Path
) -> Floats:
    """Return predictions that are equal in both contexts, the mean for pairs without one."""
    predictions = [predict(pair) for pair in pairs]
    scores = [score for score in predictions if score is not None]
    if not scores:
        raise BaselineError(f"{source} has none of the {len(pairs):,} pairs")
    mean = math.fsum(scores) / len(scores)
    filled = np.array([mean if score is None else score for score in predictions])
    return np.column_stack([filled, filled])


def _read_scores(data: bytes, column: str) -> dict[tuple[str, ...], float]:
    table = read_table(data, (*WORDS, column), numbers=(column,))
    findings = table.errors
    scores: dict[tuple[str, ...], float] = {}
    for row, fields in table.rows.items():
        word1, word2, field = map(read_cell, fields)
        try:
            score = float(field)
        except ValueError:
            score = math.nan
        if math.isfinite(score):
            scores.setdefault(_key(word1, word2), score)
        else:
            what = f'"{field[:40]}" is not a number'
            findings.append(Finding(Severity.ERROR, what, row, column, advice="write it as 0.118"))
    if findings:
        raise TableError(findings)
    return scores


def _key(*words: str) -> tuple[str, ...]:
    return tuple(sorted(word.casefold() for word in words))


def _read_vectors(path: Path, words: Iterable[str]) -> dict[str, Floats]:
    """Return the vectors of the wanted words, of the first line that has each."""
    exact = {word.encode(): word for word in words}
    caseless: dict[str, list[str]] = {}
    for word in exact.values():
        caseless.setdefault(word.casefold(), []).append(word)
    of_word: dict[str, Floats] = {}
    similar: dict[str, Floats] = {}
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            name, _, rest = line.rstrip().partition(b" ")
            folded = name.decode("utf-8", "replace").casefold()
            if folded not in caseless or (number == 1 and rest.isdigit()):
                continue
            vector = _read_vector(rest, path, number)
            if name in exact:
                of_word.setdefault(exact[name], vector)
            similar.setdefault(folded, vector)
    _check_sizes(path, [*of_word.values(), *similar.values()])
    return _fill(of_word, similar, caseless)


def _fill(
    of_word: dict[str, Floats], similar: Mapping[str, Floats], caseless: Mapping[str, list[str]]
) -> dict[str, Floats]:
    """Add the vectors of words that the file has in other letter case."""
    for folded, vector in similar.items():
        for word in caseless[folded]:
            of_word.setdefault(word, vector)
    return of_word


def _read_vector(text: bytes, path: Path, line: int) -> Floats:
    try:
        vector = np.array(text.split(b" "), dtype=float)
    except ValueError:
        vector = np.array([math.nan])
    if not np.isfinite(vector).all():
        raise BaselineError(
            f"{path}, line {line:,}: not a vector; each line needs a word and its numbers, "
            "separated by spaces"
        )
    return vector


def _check_sizes(path: Path, vectors: Sequence[Floats]) -> None:
    sizes = {len(vector) for vector in vectors}
    if len(sizes) > 1:
        numbers = " and ".join(map(str, sorted(sizes)))
        raise BaselineError(f"{path} has vectors of {numbers} numbers; download it again")


def _open(path: Path) -> IO[bytes] | gzip.GzipFile:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")
