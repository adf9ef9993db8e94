"""Shared files of simultaneously starting processes."""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from threading import Barrier

from annotation_site.keeping import load_secret, write_line

N_AT_ONCE, N_TURNS = 8, 25


def test_load_secret_is_the_same_for_simultaneous_processes(tmp_path):
    together = Barrier(N_AT_ONCE)

    def start(name: str) -> str:
        together.wait()
        return load_secret(tmp_path / name)

    for turn in range(N_TURNS):
        with ThreadPoolExecutor(N_AT_ONCE) as threads:
            kept = set(threads.map(start, repeat(f"secret{turn}", N_AT_ONCE)))
        assert len(kept) == 1
        assert kept == {(tmp_path / f"secret{turn}").read_text()}


def test_load_secret_fills_an_empty_file(tmp_path):
    path = tmp_path / "secret_key"
    path.touch()

    assert len(load_secret(path)) > 50
    assert load_secret(path) == path.read_text()


def test_write_line_is_atomic(tmp_path):
    path = tmp_path / "address"
    lines = {f"http://127.0.0.1:{port}" for port in (8000, 9000)}
    write_line(path, "http://127.0.0.1:8000")

    with ThreadPoolExecutor(2) as threads:
        writing = threads.submit(
            lambda: [write_line(path, line) for _ in range(300) for line in lines]
        )
        seen = set()
        while not writing.done():
            seen.add(path.read_text())

    assert writing.exception() is None
    assert seen <= {f"{line}\n" for line in lines}
    assert [one.name for one in tmp_path.iterdir()] == ["address"]


def test_load_secret_does_not_rewrite_a_secret(tmp_path):
    """Its folder may be read-only."""
    path = tmp_path / "secret_key"
    path.write_text("kept")
    os.utime(path, (1, 1))

    assert load_secret(path) == "kept"
    assert path.stat().st_mtime == 1


def test_write_line_does_not_rewrite_an_equal_line(tmp_path):
    path = tmp_path / "address"
    write_line(path, "http://127.0.0.1:8000")
    before = path.stat().st_ino

    write_line(path, "http://127.0.0.1:8000")

    assert path.stat().st_ino == before
