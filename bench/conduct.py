"""Measure the evidence about inspired words and the order of ratings: how often it is wrong.

    .venv/bin/python bench/conduct.py --corpora ../shared/corpora

Words: the distinct nouns, verbs, adjectives and adverbs of two letters or more in the development
parts of Universal Dependencies treebanks (`<language>_*-ud-dev.conllu`), without those marked as
typing errors or foreign; doubted ones without dictionaries of the system. Forms: pairs of different
forms of one lemma; and words of the treebank next to five sentences without a form of them.
Junk is drawn at random from the Latin alphabet or one row of a keyboard.

Orders: honest people rate texts in random order, with a bias of SD 0.6 and an SD of 1.5 within
texts on 0–6; agents follow the patterns of the second table.
"""

import argparse
import os
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from reporting import say, table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from postprocess.formats.invisible import fold
from surveys.review.order import measure_order
from surveys.review.spelling import find_doubted, find_lemma

SEED, N_DRAWN, LIMIT = 20200312, 2000, 0.001
OPEN = {"NOUN", "VERB", "ADJ", "ADV"}
MARKED = ("Typo=Yes", "Foreign=Yes")
Agent = Callable[[np.random.Generator, int], NDArray[np.float64]]


def read_sentences(path: Path) -> Iterator[list[list[str]]]:
    """Yield the words of each sentence of a treebank, with their fields."""
    for sentence in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in sentence.splitlines() if line[:1].isdigit()]
        yield [row for row in rows if row[0].isdigit()]


def measure_words(path: Path) -> list[str]:
    """Return the row of a treebank in the table of words."""
    rng = random.Random(SEED)  # noqa: S311
    language = path.name.split("_")[0]
    sentences = list(read_sentences(path))
    words = [
        row
        for sentence in sentences
        for row in sentence
        if row[3] in OPEN
        and not any(mark in row[5] for mark in MARKED)
        and row[1].replace("-", "").isalpha()
        and len(row[1]) > 1
    ]
    real = {row[1] for row in words}
    forms = defaultdict(set)
    for row in words:
        forms[row[2]].add(fold(row[1]))
    pairs = [(one, two) for some in forms.values() for one in some for two in some if one != two]
    alike = [find_lemma(one, language) == find_lemma(two, language) for one, two in pairs]
    junk = {
        "".join(rng.choices(keys, k=rng.randint(4, 8)))
        for keys in ("abcdefghijklmnopqrstuvwxyz", "asdfghjkl", "qwertyuiop")
        for _ in range(N_DRAWN // 4)
    }
    shares = (
        len(find_doubted(real, language)) / len(real),
        len(find_doubted(junk, language)) / len(junk),
        np.mean(alike),
        _count_false_copies(sentences, words, language, rng),
    )
    return [language, f"{len(real):,}", *(f"{share:.2%}" for share in shares)]


def _count_false_copies(
    sentences: list[list[list[str]]], words: list[list[str]], language: str, rng: random.Random
) -> float:
    """Return the share of words that five sentences seem to have, though they have no form."""
    found = []
    while len(found) < N_DRAWN:
        start, row = rng.randrange(len(sentences) - 5), rng.choice(words)
        text = [word for sentence in sentences[start : start + 5] for word in sentence]
        if all(fold(word[2]) != fold(row[2]) and fold(word[1]) != fold(row[1]) for word in text):
            lemmas = {find_lemma(fold(word[1]), language) for word in text}
            found.append(find_lemma(fold(row[1]), language) in lemmas)
    return float(np.mean(found))


def _rate(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    points = rng.uniform(0, 6, n) + rng.normal(0, 0.6) + rng.normal(0, 1.5, n)
    return np.clip(np.rint(points), 0, 6)


def _alternate(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return np.where(rng.random(n) < 0.1, rng.integers(7, size=n), 6.0 * (np.arange(n) % 2))


def _run(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return np.repeat(rng.integers(7, size=n), rng.integers(4, 9, size=n))[:n].astype(float)


AGENTS: dict[str, Agent] = {
    "honest people": _rate,
    "0 6 0 6 …": lambda rng, n: 6.0 * (np.arange(n) % 2),
    "the same, a tenth at random": _alternate,
    "0 1 2 3 4 5 6 0 …": lambda rng, n: np.arange(n) % 7.0,
    "runs of 4 to 8 equal ratings": _run,
    "honest half, then 3": lambda rng, n: np.r_[_rate(rng, n // 2), np.full(n - n // 2, 3.0)],
    "at random": lambda rng, n: rng.integers(7, size=n).astype(float),
    "2, 3 and 4 at random": lambda rng, n: rng.integers(2, 5, size=n).astype(float),
}


def measure_orders(n_people: int) -> list[list[str]]:
    """Return a row for each kind of annotator: how often the order is found unlikely."""
    rows = []
    for name, rate in AGENTS.items():
        shares = []
        for n in (20, 40):
            rng = np.random.default_rng(SEED)
            tests = (measure_order(rate(rng, n).tolist()) for _ in range(n_people))
            shares.append(np.mean([test is not None and test.pvalue <= LIMIT for test in tests]))
        rows.append([name, *(f"{share:.2%}" for share in shares)])
    return rows


def main() -> None:
    """Print both tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, help="a folder of treebanks")
    parser.add_argument("--people", type=int, default=2000)
    options = parser.parse_args()
    os.environ["PATH"] = ""  # no dictionaries of the system
    if options.corpora:
        columns = (
            "language", "words", "doubted", "junk doubted", "other form found",
            "wrongly called a form",
        )  # fmt: skip
        paths = sorted(options.corpora.glob("*-ud-dev.conllu"))
        say(table(columns, [measure_words(path) for path in paths]))
    say(table(("ratings", "found in 20 texts", "found in 40"), measure_orders(options.people)))


if __name__ == "__main__":
    main()
