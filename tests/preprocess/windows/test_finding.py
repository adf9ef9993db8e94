"""From a corpus to the table of windows: processes, stored scans, duplicates, sources."""

import bz2
import gzip
import lzma
from functools import partial
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from preprocess.pairs.reading import WordPair
from preprocess.windows.dividing import Processes
from preprocess.windows.examining import WINDOW_TYPES, Examination, count_windows
from preprocess.windows.filters import default_filters
from preprocess.windows.finding import examine_places, find_places
from preprocess.windows.scanning import SearchSettings
from preprocess.windows.storing import ScanStore
from tests.preprocess.corpus import sentence, write
from tests.preprocess.disk import full_disk

PAIRS = [WordPair("ice", "sun"), WordPair("sun", "lake"), WordPair("ice", "fire")]
PLACES = ("forest", "harbour", "village", "station", "market", "garden", "castle", "mountain")
SOURCE = {"title": "Tales", "url": "", "revision": "", "licence": "CC BY 4.0"}


def story(number: int, *comments: str) -> list[str]:
    """Return a document of four sentences, the first three with ice, sun and lake."""
    place, other = PLACES[number % 8], PLACES[(number * 3 + 1) % 8]
    person = "abcdefghij"[number % 10] * 3 + "xyzuvw"[number % 6]
    return [
        sentence(f"In the {place} of {person} the children met near the lake.", None, *comments),
        sentence(f"The {other} was far and the ice seemed thin to {person} that day."),
        sentence(f"Soon the warm sun came over the {place} and {person} went home."),
        sentence(f"Nobody from the {other} saw {person} again before the winter."),
    ]


def stories_by_id(number: int) -> list[str]:
    """Return stories whose borders only the sent_id show: s0.0 to s0.3, s1.0 and so on."""
    return [
        f"# sent_id = s{n}.{place}\n{line}"
        for n in range(number)
        for place, line in enumerate(story(n))
    ]


@pytest.fixture
def corpus_files(tmp_path) -> list[Path]:
    first = [line for n in range(20) for line in story(n, f"# newdoc id = d{n}")]
    second = [line for n in range(20, 30) for line in story(n, "# newdoc", "# licence = CC0")]
    return [write(tmp_path / "a.conllu", first), write(tmp_path / "b.conllu", second)]


def find(corpus, store, *, processes=Processes(1), most_kept=100, progress=None):  # noqa: B008
    stages = []
    progress = progress or (lambda *stage: stages.append(stage))
    search = SearchSettings(most=200)
    examination = Examination(3, most_kept, default_filters("en"), SOURCE)
    found = find_places(corpus, PAIRS, search, processes=processes, store=store, progress=progress)
    tables = examine_places(
        corpus, PAIRS, found, examination, processes=processes, progress=progress
    )
    return found, pd.concat(tables, ignore_index=True), stages


def test_the_number_of_processes_and_the_parts_do_not_change_the_windows(corpus_files, tmp_path):
    found, windows, _ = find(corpus_files, ScanStore(tmp_path / "1", "s"))

    assert list(windows) == list(WINDOW_TYPES)
    assert found.n_seen.tolist() == [30, 30, 0]
    for name, processes in (
        ("2", Processes(2)),
        ("3", Processes(1, 2_000)),
        ("4", Processes(7, 999)),
    ):
        _, others, _ = find(corpus_files, ScanStore(tmp_path / name, "s"), processes=processes)
        pd.testing.assert_frame_equal(others, windows)


def test_a_window_says_where_it_comes_from(corpus_files, tmp_path):
    _, windows, _ = find(corpus_files, ScanStore(tmp_path / "parts", "s"))

    row = windows[windows["document"] == "d7"].iloc[0]
    assert row[["file", "title", "licence", "word1", "word2"]].tolist() == [
        "a.conllu", "Tales", "CC BY 4.0", "ice", "sun",
    ]  # fmt: skip
    assert row["last_sentence"] - row["first_sentence"] == 2
    assert row["text"][row["start1"] : row["end1"]] == row["form1"] == "ice"
    assert row["text"][row["start2"] : row["end2"]] == row["form2"] == "sun"
    assert set(windows.loc[windows["file"] == "b.conllu", "licence"]) == {"CC0"}
    assert windows["first_sentence"].between(1, 2).all()


def test_a_pair_has_its_windows_up_to_the_last_that_is_kept(corpus_files, tmp_path):
    found, windows, _ = find(corpus_files, ScanStore(tmp_path / "parts", "s"), most_kept=5)

    counts = count_windows(PAIRS, found.n_seen, windows, ["duplicate"])
    assert counts["seen"].tolist() == [30, 30, 0]
    assert counts["kept"].tolist() == [5, 5, 0]
    assert windows.groupby("pair")["rejected"].last().tolist() == ["", ""]


def test_near_duplicates_are_rejected_and_counted(tmp_path):
    copies = [line for _ in range(4) for line in story(1, "# newdoc")]
    corpus = [write(tmp_path / "c.conllu", [*copies, *story(2, "# newdoc")])]

    _, windows, _ = find(corpus, ScanStore(tmp_path / "parts", "s"))

    reasons = windows.loc[windows["pair"] == 2, "rejected"]
    assert sorted(reasons) == ["", "", "duplicate", "duplicate", "duplicate"]


def test_stored_scans_are_used_again_for_the_same_search_alone(corpus_files, tmp_path):
    parts = Processes(1, 3_000)
    store = ScanStore(tmp_path / "parts", "search")
    found, *_ = find(corpus_files, store, processes=parts)
    n_stored = len(list(store.folder.iterdir()))

    def fail(stage: str, done: int, of: int) -> None:
        assert stage != "scanning", "a stored part was scanned again"

    again, *_ = find(corpus_files, store, processes=parts, progress=fail)

    assert n_stored > 5
    assert [one.tolist() for one in again.places] == [one.tolist() for one in found.places]
    with pytest.raises(AssertionError):
        find(corpus_files, ScanStore(store.folder, "other"), processes=parts, progress=fail)
    corpus_files[0].write_text(corpus_files[0].read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        find(corpus_files, store, processes=parts, progress=fail)


@pytest.mark.parametrize(
    "compress", [gzip.compress, bz2.compress, partial(lzma.compress, preset=0)]
)
def test_the_progress_of_a_compressed_file_is_shown_while_it_is_read(tmp_path, compress):
    noise = Random(1)
    notes = [f"# note = {noise.randbytes(2000).hex()}" for _ in range(300)]
    stories = [line for n, note in enumerate(notes) for line in story(n, "# newdoc", note)]
    packed = tmp_path / "a.conllu.packed"
    packed.write_bytes(compress("".join(stories).encode()))
    size = packed.stat().st_size

    _, _, stages = find([packed], ScanStore(tmp_path / "parts", "s"))

    for stage, of in (("scanning", size), ("reading", 2 * size)):
        done = [n for name, n, total in stages if name == stage and total == of]
        assert done == sorted(done)
        assert (len([n for n in done if 0 < n < of]) > 3, done[-1]) == (True, of)


def test_a_full_disk_stops_a_search_that_goes_on_where_it_was(corpus_files, tmp_path):
    few = write(tmp_path / "0.conllu", story(40, "# newdoc"))
    files = [few, *corpus_files]  # the second has 40 places of 40 bytes
    store = ScanStore(tmp_path / "parts", "search")

    with full_disk(2_000), pytest.raises(OSError, match="File too large"):
        find(files, store)
    stored = [path.name for path in store.folder.iterdir()]  # no part of a file
    found, windows, stages = find(files, store)

    assert [Path(name).suffix for name in stored] == [".npz"]
    size = sum(path.stat().st_size for path in files)
    assert stages[0] == ("scanning", few.stat().st_size, size)
    assert found.n_seen.tolist() == [31, 31, 0]
    _, whole, _ = find(files, ScanStore(tmp_path / "others", "search"))
    pd.testing.assert_frame_equal(windows, whole)


def test_a_stored_scan_that_is_damaged_is_made_again(corpus_files, tmp_path):
    store = ScanStore(tmp_path / "parts", "search")
    found, *_ = find(corpus_files, store)
    for path in store.folder.iterdir():
        path.write_bytes(path.read_bytes()[:50])

    again, *_ = find(corpus_files, store)

    assert again.n_seen.tolist() == found.n_seen.tolist()
    store.remove()
    assert not store.folder.exists()
