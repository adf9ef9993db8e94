"""The scan finds what a plain reading with conllu finds, however the file is cut."""

import gzip
from collections import Counter
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from preprocess.corpora import lines
from preprocess.corpora.errors import CorpusError
from preprocess.pairs.reading import WordPair, load_pairs
from preprocess.windows.lexicon import Lexicon
from preprocess.windows.parts import combine_scans, list_parts
from preprocess.windows.reading import read_sentences
from preprocess.windows.scanning import Part, SearchSettings, scan_part
from tests.machine import COSIMLEX, ROOT
from tests.preprocess.corpus import word_line
from tests.preprocess.reference import all_pairs, find_all, read_documents

CORPORA = ROOT.parent / "shared/corpora"
WORDS = ["ice", "sun", "Šuma", "rikos", "#"]
EVERY = 10**6  # places per pair


def find(path: Path, pairs: list[WordPair], looked_for: SearchSettings, part_size: int):
    parts = list_parts([path], part_size)
    scans = [scan_part(part, Lexicon(pairs), looked_for) for part in parts]
    return combine_scans([path], parts, scans, looked_for.most)


def check_against_plain_way(path, documents, pairs, looked_for):
    wanted = find_all(documents, pairs, looked_for.size)
    found = find(path, pairs, looked_for, 1 << 26)

    by_pair = Counter(number for number, *_ in wanted)
    assert found.n_seen.tolist() == [by_pair[number] for number in range(len(pairs))]
    starts = {number: Counter() for number in range(len(pairs))}
    for place in found.places[0]:
        starts[int(place["pair"])][int(place["sentence"])] += 1
    for (number, *_), windows in wanted.items():
        assert windows & starts[number].keys()
    assert sum(map(Counter.total, starts.values())) == len(wanted)
    return found


needs_shared = pytest.mark.skipif(not CORPORA.exists(), reason="not in a clone: ../shared/corpora")


@cache
def read_corpus(language):
    """A file, and the lemmas of its documents, which take a second to read."""
    (path,) = CORPORA.glob(f"{language}_*.conllu")
    return path, read_documents(path)


@needs_shared
@pytest.mark.parametrize("language", ["sl", "fi"])
def test_windows_of_real_corpora_are_those_of_the_plain_way(language):
    pairs, _ = load_pairs(COSIMLEX / f"data_{language}.tsv")

    found = check_against_plain_way(*read_corpus(language), pairs, SearchSettings(most=EVERY))

    assert found.n_seen.sum() >= 5


@needs_shared
@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi"])
def test_windows_of_frequent_words_do_not_depend_on_the_parts(language):
    path, documents = read_corpus(language)
    lemmas = Counter(lemma for document in documents for sentence in document for lemma in sentence)
    frequent = [lemma for lemma, _ in lemmas.most_common(60) if lemma.isalpha()][20:35]
    pairs = all_pairs(frequent)
    looked_for = SearchSettings(most=20)
    whole = find(path, pairs, looked_for, 1 << 26)

    check_against_plain_way(path, documents, pairs, SearchSettings(most=EVERY))
    assert whole.n_seen.sum() > 300
    for part_size in (1_000_000, 77_777, 20_001):
        parts = find(path, pairs, looked_for, part_size)
        assert parts.n_seen.tolist() == whole.n_seen.tolist()
        assert parts.places[0].tolist() == whole.places[0].tolist()


word_lines = st.sampled_from([*WORDS, "ICE", "Sun", "šuma", "ri#kos", "x", "y"])
sentences = st.tuples(
    st.sampled_from(["", "", "", "# newdoc", "# newdoc id = a", "# newpar", "# text = x"]),
    st.sampled_from(["", "# sent_id = a-1", "# sent_id = a-22", "# sent_id=b-1", "# sent_id = x"]),
    st.lists(
        st.tuples(word_lines, st.sampled_from(["word", "word", "range", "empty"])), max_size=6
    ),
)


def write_corpus(drawn, end: str) -> str:
    written = []
    for comment, sent_id, words in drawn:
        if comment:
            written.append(comment)
        if sent_id and any(kind != "empty" for _, kind in words):
            written.append(sent_id)
        number = 0
        for lemma, kind in words:
            number += kind != "empty"
            ids = {"word": f"{number}", "range": f"{number}-{number + 1}", "empty": f"{number}.1"}
            if kind == "range":
                written.append("\t".join([ids[kind], "zz", "_", *"_" * 7]))
                written.append("\t".join([f"{number}", "z", lemma, *"_" * 7]))
                number += 1
                written.append("\t".join([f"{number}", "z", "do", *"_" * 7]))
            else:
                written.append("\t".join([ids[kind], "z", lemma, *"_" * 7]))
        if number:
            written.append("")
    return end.join([*written, ""])


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    drawn=st.lists(sentences, min_size=1, max_size=30),
    end=st.sampled_from(["\n", "\r\n"]),
    size=st.integers(1, 4),
    by_paragraph=st.booleans(),
    by_sent_id=st.booleans(),
    part_size=st.integers(40, 900),
    at_once=st.integers(30, 900),
)
def test_windows_of_any_corpus_are_those_of_the_plain_way(
    tmp_path, monkeypatch, drawn, end, size, by_paragraph, by_sent_id, part_size, at_once
):
    monkeypatch.setattr(lines, "AT_ONCE", at_once)
    path = tmp_path / "drawn.conllu"
    path.write_text(write_corpus(drawn, end), encoding="utf-8", newline="")
    looked_for = SearchSettings(size, EVERY, by_paragraph=by_paragraph, by_sent_id=by_sent_id)
    pairs = all_pairs(WORDS)

    documents = read_documents(path, by_paragraph=by_paragraph, by_sent_id=by_sent_id)
    whole = check_against_plain_way(path, documents, pairs, looked_for)

    parts = find(path, pairs, looked_for, part_size)
    assert parts.places[0].tolist() == whole.places[0].tolist()
    packed = tmp_path / "drawn.conllu.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert find(packed, pairs, looked_for, part_size).n_seen.tolist() == whole.n_seen.tolist()


def test_the_kept_places_are_those_with_the_lowest_ranks(tmp_path):
    path = tmp_path / "many.conllu"
    sentence = (
        "1\tIce\tice\t" + "\t".join("_" * 7) + "\n2\tsun\tsun\t" + "\t".join("_" * 7) + "\n\n"
    )
    path.write_text(f"# newdoc\n{sentence}" * 500, encoding="utf-8")
    pairs = [WordPair("ice", "sun")]

    every = find(path, pairs, SearchSettings(1, EVERY), 1 << 26)
    few = find(path, pairs, SearchSettings(1, 7), 1 << 26)
    others = find(path, pairs, SearchSettings(1, 7, seed=2), 1 << 26)

    ranks = every.places[0]["rank"]
    assert every.n_seen.tolist() == few.n_seen.tolist() == [500]
    assert few.places[0]["rank"].tolist() == np.sort(ranks)[:7].tolist()
    assert set(few.places[0]["sentence"]) != set(others.places[0]["sentence"])


scan = partial(scan_part, lexicon=Lexicon([WordPair("ice", "sun")]), settings=SearchSettings())


def test_a_line_that_is_not_conllu_is_named(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("# a comment\n\nIce is water.\n", encoding="utf-8")

    with pytest.raises(CorpusError, match=r"text\.txt, line 3: this line is not CoNLL-U"):
        scan(Part(path))


@pytest.mark.parametrize("n_columns", [3, 9, 11])
def test_a_line_with_other_than_ten_columns_is_named(tmp_path, n_columns):
    path = tmp_path / "wide.conllu"
    sentence = "\t".join(["1", "Ice", "ice", *"_" * 7]) + "\n\n"
    wrong = "\t".join(["2", "Sun", "sun", *"_" * 8][:n_columns]) + "\n\n"
    path.write_text(10_000 * sentence + wrong + sentence, encoding="utf-8")

    with pytest.raises(CorpusError, match=r"wide\.conllu, line 20001: this line is not CoNLL-U"):
        scan(Part(path))


def test_a_text_without_empty_lines_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 1_000_000)
    path = tmp_path / "endless.conllu"
    sentence = "\t".join(["1", "Ice", "ice", *"_" * 7]) + "\n"
    path.write_text(f"{sentence}\n" + 100_000 * sentence, encoding="utf-8")

    with pytest.raises(CorpusError, match=r"line 3: no empty line, which ends a sentence, in "):
        scan(Part(path))


@pytest.mark.parametrize("first", ["# newdoc id = a\n", ""])
def test_a_byte_order_mark_belongs_to_no_line(tmp_path, first):
    words = ("Ice", "melts", "in", "sun")
    lines = "".join(word_line(n, word, word.lower()) + "\n" for n, word in enumerate(words, 1))
    path = tmp_path / "marked.conllu"
    path.write_text(f"{first}{lines}\n" * 3, encoding="utf-8-sig")

    found = scan(Part(path), settings=SearchSettings(size=1))

    assert (found.n_seen.tolist(), found.n_sentences) == ([3], 3)
    (sentences,) = read_sentences(path, [int(found.places["offset"].min())], 1)
    assert [word.form for word in sentences[0].words] == ["Ice", "melts", "in", "sun"]


def test_a_file_of_compressed_data_that_is_cut_off_is_named(tmp_path):
    path = tmp_path / "cut.conllu.gz"
    line = "\t".join(["1", "Ice", "ice", *"_" * 7])
    content = "".join(f"# sent_id = {n}\n{line}\n\n" for n in range(5000))
    path.write_bytes(gzip.compress(content.encode())[:-200])

    with pytest.raises(CorpusError, match="cut off or damaged") as raised:
        scan(Part(path))

    assert 14_000 < (raised.value.line or 0) < 15_000
    assert str(raised.value).startswith(f"{path}, line {raised.value.line}: the compressed data")


def test_an_empty_file_has_no_windows(tmp_path):
    path = tmp_path / "empty.conllu"
    path.write_bytes(b"")

    assert scan(Part(path)).n_seen.tolist() == [0]
