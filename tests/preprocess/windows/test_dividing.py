"""Work on several processes and on the workers of a Dask cluster gives the same as in one."""

import argparse
import os
import re
import signal
import time
from pathlib import Path

import dask
import distributed
import pandas as pd
import pytest

from postprocess import extras
from postprocess.extras import ExtraMissing
from preprocess.commands.options import corpus_file
from preprocess.corpora.errors import CorpusError
from preprocess.pairs.reading import WordPair
from preprocess.windows import dividing
from preprocess.windows.dividing import ClusterError, Processes, work_on_each
from preprocess.windows.examining import Examination
from preprocess.windows.filters import default_filters
from preprocess.windows.finding import examine_places, find_places
from preprocess.windows.scanning import SearchSettings
from preprocess.windows.storing import ScanStore
from tests.preprocess.corpus import sentence, write

PAIRS = [WordPair("ice", "sun"), WordPair("ice", "lake")]
SOURCE = {"title": "", "url": "", "revision": "", "licence": ""}


@pytest.fixture(scope="module")
def cluster():
    """Two workers, and a scheduler that gives up a part after the second death on it."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as local,
    ):
        yield local


@pytest.fixture
def many_stories(tmp_path) -> Path:
    stories = [
        sentence(f"The ice of lake {'abcdefghij'[n % 10] * 4} melts in the sun.", None, "# newdoc")
        for n in range(400)
    ]
    return write(tmp_path / "a.conllu", stories)


def find(path, folder, processes, progress=lambda *stage: None):
    search = SearchSettings(1, 200)
    examination = Examination(1, 100, default_filters("en"), SOURCE)
    store = ScanStore(folder, "s")
    found = find_places([path], PAIRS, search, processes=processes, store=store, progress=progress)
    return pd.concat(
        examine_places([path], PAIRS, found, examination, processes=processes, progress=progress)
    )


def test_a_cluster_finds_the_same_also_when_a_worker_is_killed(cluster, many_stories, tmp_path):
    alone = find(many_stories, tmp_path / "1", Processes(1))
    killed = []

    def kill_once(stage, done, of):
        if not killed:
            killed.append(cluster.workers[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    processes = Processes(part_size=2_000, cluster=cluster.scheduler_address)
    together = find(many_stories, tmp_path / "2", processes, kill_once)

    assert len(alone) == 400
    assert killed
    pd.testing.assert_frame_equal(together, alone)


def die(number, report):
    os._exit(1)


def test_a_part_that_kills_every_worker_is_given_up(cluster):
    with pytest.raises(ClusterError, match="several workers died on the same part"):
        list(work_on_each(die, [1], Processes(cluster=cluster.scheduler_address)))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere"])
def test_an_address_without_a_scheduler_is_named(address):
    soon = dask.config.set({"distributed.comm.timeouts.connect": "200ms"})
    with soon, pytest.raises(ClusterError, match=f"{address}: no scheduler answers there"):
        list(work_on_each(len, ["a"], Processes(cluster=address)))


def test_an_error_in_another_process_says_where(many_stories, tmp_path):
    with many_stories.open("a", encoding="utf-8") as file:
        file.write("Ice is water.\n")
    n_lines = len(many_stories.read_text(encoding="utf-8").splitlines())

    with pytest.raises(CorpusError, match=rf"a\.conllu, line {n_lines}: this line is not CoNLL-U"):
        find(many_stories, tmp_path / "parts", Processes(2, 10_000))


def test_a_corpus_is_read_from_a_store_by_its_address(many_stories, tmp_path):
    alone = find(many_stories, tmp_path / "1", Processes(1))
    stored = corpus_file("memory://bucket/a.conllu")
    stored.write_bytes(many_stories.read_bytes())

    pd.testing.assert_frame_equal(find(stored, tmp_path / "2", Processes(1, 3_000)), alone)


def report_and_wait(path, report):
    report(len(path.name))
    while not path.exists():
        time.sleep(0.01)
    return path.name.upper()


def test_the_bytes_of_works_in_progress_are_reported_in_total(tmp_path, monkeypatch):
    monkeypatch.setattr(dividing, "INTERVAL", 0.01)
    paths = [tmp_path / name for name in ("a", "bcd")]
    seen = []

    def go_on(n_bytes):
        seen.append(n_bytes)
        if n_bytes == 4:
            for path in paths:
                path.touch()

    done = work_on_each(report_and_wait, paths, Processes(2), go_on)

    assert dict(done) == {paths[0]: "A", paths[1]: "BCD"}
    assert set(seen) <= {0, 1, 3, 4}
    assert seen[-1] == 0


def test_an_address_that_nothing_can_read_is_refused():
    with pytest.raises(argparse.ArgumentTypeError, match="nonsense"):
        corpus_file("nonsense://bucket/a.conllu")


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(extras, "CLUSTER", ("distributed", "no_such_package"))
    message = re.escape("need no_such_package; install what is missing with: pip install 'cosima[")

    with pytest.raises(ExtraMissing, match=message):
        list(work_on_each(len, ["a"], Processes(cluster="tcp://127.0.0.1:1")))
    with pytest.raises(argparse.ArgumentTypeError, match=message):
        corpus_file("s3://bucket/a.conllu")
