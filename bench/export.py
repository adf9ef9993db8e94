"""Measure how fast a study's responses are downloaded from a real server, and its memory.

    .venv/bin/python bench/export.py
    .venv/bin/python bench/export.py --databases pg --cluster postgres://postgres@127.0.0.1

Each run has a fresh site and downloads by the API. `first byte` is the header of the table, `first
row` the data after it. MB above idle are of the server's processes: their peak during a download,
less their memory after the requests before it.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import httpx
from databases import CLUSTER, DATABASES, KINDS
from filling import RESEARCHER, STUDY, fill
from processes import list_processes, read_megabytes
from reporting import read_options, say, table
from sites import fresh_site

EXPORT = f"/api/v1/studies/{STUDY}/responses.csv"
COLUMNS = ("database", "responses", "s to first byte", "s to first row", "s in all", "MB",
           "server MB above idle")  # fmt: skip


class Download(NamedTuple):
    """One export over HTTP, in seconds and megabytes of a million bytes."""

    n_rows: int
    first_byte_seconds: float
    first_row_seconds: float
    seconds: float
    megabytes: float
    server_megabytes: float


def download(browser: httpx.Client, server: int) -> Download:
    """Download the responses once."""
    browser.get("/").raise_for_status()
    processes = list_processes(server)
    idle = read_megabytes(processes, "VmRSS")
    for pid in processes:
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # reset the peak
    instants, sizes, n_lines = [], [], 0
    started = time.perf_counter()
    with browser.stream("GET", EXPORT) as answer:
        answer.raise_for_status()
        for piece in answer.iter_raw():
            instants.append(time.perf_counter() - started)
            sizes.append(len(piece))
            n_lines += piece.count(b"\n")
    seconds, peak = time.perf_counter() - started, read_megabytes(processes, "VmHWM")
    first_row = instants[min(1, len(instants) - 1)]
    above_idle = max(0, peak - idle)
    return Download(n_lines - 1, instants[0], first_row, seconds, sum(sizes) / 1e6, above_idle)


def measure(kind: str, options: argparse.Namespace) -> list[Download]:
    """Download from a fresh site, several times."""
    with fresh_site(kind, options.cluster) as site:
        site.call(fill, 2 * options.responses)  # half of them in the measured study
        site.settle()
        token = site.manage("make_token", RESEARCHER, "b", "--scope", "responses:read").split()[-1]
        headers = {"Authorization": f"Bearer {token}"}
        with (
            site.serving() as pid,
            httpx.Client(
                base_url=site.url, headers=headers, trust_env=False, timeout=60
            ) as browser,
        ):
            return [download(browser, pid) for _ in range(options.repetitions)]


def write_row(database: str, downloads: Sequence[Download]) -> list[str]:
    """Return a row of the table: medians, but the maximum memory."""
    middle = [median(figures) for figures in zip(*downloads, strict=True)]
    return [
        database, f"{middle[0]:.0f}", *(f"{seconds:.3f}" for seconds in middle[1:3]),
        f"{middle[3]:.2f}", f"{middle[4]:.1f}",
        f"{max(download.server_megabytes for download in downloads):.1f}",
    ]  # fmt: skip


def main() -> None:
    """Measure and print a table."""
    options = read_options(
        __doc__, responses=100_000, databases=DATABASES, cluster=CLUSTER, repetitions=3
    )
    rows = [write_row(KINDS[kind], measure(kind, options)) for kind in options.databases]
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
