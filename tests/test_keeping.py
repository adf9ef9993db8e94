"""What the processes of a site keep in files stays whole and one, though they start at once."""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from threading import Barrier

from annotation_site.keeping import keep_line, keep_secret

N_AT_ONCE, N_TURNS = 8, 25


def test_all_that_start_at_once_have_one_secret(tmp_path):
    together = Barrier(N_AT_ONCE)

    def start(name: str) -> str:
        together.wait()
        return keep_secret(tmp_path / name)

    for turn in range(N_TURNS):
        with ThreadPoolExecutor(N_AT_ONCE) as threads:
            kept = set(threads.map(start, repeat(f"secret{turn}", N_AT_ONCE)))
        assert len(kept) == 1
        assert kept == {(tmp_path / f"secret{turn}").read_text()}


def test_a_file_without_a_secret_is_given_one(tmp_path):
    path = tmp_path / "secret_key"
    path.touch()

    assert len(keep_secret(path)) > 50
    assert keep_secret(path) == path.read_text()


def test_a_line_is_never_seen_half_written(tmp_path):
    path = tmp_path / "address"
    lines = {f"http://127.0.0.1:{port}" for port in (8000, 9000)}
    keep_line(path, "http://127.0.0.1:8000")

    with ThreadPoolExecutor(2) as threads:
        writing = threads.submit(
            lambda: [keep_line(path, line) for _ in range(300) for line in lines]
        )
        seen = set()
        while not writing.done():
            seen.add(path.read_text())

    assert writing.exception() is None
    assert seen <= {f"{line}\n" for line in lines}
    assert [one.name for one in tmp_path.iterdir()] == ["address"]


def test_a_secret_that_is_there_is_read_and_nothing_is_written(tmp_path):
    """Its folder may be read-only."""
    path = tmp_path / "secret_key"
    path.write_text("kept")
    os.utime(path, (1, 1))

    assert keep_secret(path) == "kept"
    assert path.stat().st_mtime == 1


def test_a_line_that_is_there_is_not_written_again(tmp_path):
    path = tmp_path / "address"
    keep_line(path, "http://127.0.0.1:8000")
    before = path.stat().st_ino

    keep_line(path, "http://127.0.0.1:8000")

    assert path.stat().st_ino == before
