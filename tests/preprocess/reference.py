"""Windows found the slow and plain way, with the library conllu, to compare with."""

from itertools import combinations
from pathlib import Path
from string import digits

import conllu

from preprocess.corpora.lemmas import normalise_lemma
from preprocess.pairs.reading import WordPair


def read_documents(
    path: Path, *, by_paragraph: bool = False, by_sent_id: bool = False
) -> list[list[list[str]]]:
    """Return the lemmas of the words of sentences of documents.

    Comments without words, which conllu returns as a sentence, belong to the next one.
    """
    text = path.read_text(encoding="utf-8")  # any line end becomes LF
    documents: list[list[list[str]]] = [[]]
    last = None
    for sentence in conllu.parse(text):
        keys = sentence.metadata
        is_new = any(key.split()[0] == "newdoc" for key in keys)
        if is_new or (by_paragraph and any(key.split()[0] == "newpar" for key in keys)):
            documents.append([])
        name = keys.get("sent_id", "").rstrip(digits)
        if sentence and by_sent_id and last is not None and name != last:
            documents.append([])
        last = name if sentence else last
        words = [token for token in sentence if isinstance(token["id"], int)]
        if sentence:
            documents[-1].append([normalise_lemma(token["lemma"]) for token in words])
    return documents


def find_all(
    documents: list[list[list[str]]], pairs: list[WordPair], size: int
) -> dict[tuple[int, int, int], set[int]]:
    """Return the windows around each two words that share a window.

    Keys are the number of the pair and those of the sentences of the two words, the earlier one
    first, counted through the file; values the first sentences of the windows that have each of
    the words once.
    """
    found: dict[tuple[int, int, int], set[int]] = {}
    wanted = [(normalise_lemma(pair.word1), normalise_lemma(pair.word2)) for pair in pairs]
    n_before = 0
    for document in documents:
        for first in range(len(document) - size + 1):
            window = document[first : first + size]
            places: dict[str, list[int]] = {}
            for n, sentence in enumerate(window):
                for lemma in sentence:
                    places.setdefault(lemma, []).append(n)
            for number, lemmas in enumerate(wanted):
                both = [places.get(lemma, []) for lemma in lemmas]
                if [len(one) for one in both] == [1, 1]:
                    start = n_before + first
                    ordered = sorted(start + one[0] for one in both)
                    found.setdefault((number, ordered[0], ordered[1]), set()).add(start)
        n_before += len(document)
    return found


def all_pairs(words: list[str]) -> list[WordPair]:
    """Return every pair of distinct words."""
    return [WordPair(*pair) for pair in combinations(words, 2)]
