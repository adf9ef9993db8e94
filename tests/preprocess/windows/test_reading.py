"""Windows at their places, each sentence of a file read once."""

import gzip
from itertools import accumulate

import pytest

from preprocess.windows.reading import read_sentences
from tests.preprocess.corpus import sentence, write

TEXTS = [f"Sentence number {n} is here." for n in range(40)]


@pytest.mark.parametrize("between", ["", "\n\n", "# a comment that is apart\n\n"])
def test_windows_that_overlap_are_read_as_each_by_itself(tmp_path, between):
    blocks = [between + sentence(text) for text in TEXTS]
    path = write(tmp_path / "a.conllu", blocks)
    begins = accumulate((len(block) for block in blocks), initial=0)
    offsets = [begin + len(between) * between.isspace() for begin in begins][:38]
    packed = tmp_path / "a.conllu.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    alone = [next(read_sentences(path, [offset], 3)) for offset in offsets]

    assert [[one.text for one in window] for window in alone] == [
        TEXTS[n : n + 3] for n in range(38)
    ]
    for chosen in (offsets, offsets[::2], [offsets[0], offsets[1], offsets[9], offsets[10]]):
        wanted = [alone[offsets.index(offset)] for offset in chosen]
        assert list(read_sentences(path, chosen, 3)) == wanted
        assert list(read_sentences(packed, chosen, 3)) == wanted


def test_a_compressed_file_is_read_once(tmp_path, monkeypatch):
    """Its sentences are longer than the buffer, so that going back would begin again."""
    long = [sentence(" ".join([f"{text[:-1]}"] * 400) + ".") for text in TEXTS[:9]]
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress("".join(long).encode()))
    offsets = list(accumulate((len(block) for block in long), initial=0))[:7]
    n_rewound = 0
    rewind = gzip._GzipReader._rewind  # noqa: SLF001

    def count(reader) -> None:
        nonlocal n_rewound
        n_rewound += 1
        rewind(reader)

    monkeypatch.setattr(gzip._GzipReader, "_rewind", count)  # noqa: SLF001

    assert len(list(read_sentences(path, offsets, 3))) == 7
    assert n_rewound == 0
