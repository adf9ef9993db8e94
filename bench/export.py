"""Measure how fast a study's responses are downloaded from a real server, and its memory.

    .venv/bin/python bench/export.py
    .venv/bin/python bench/export.py --cluster postgres://postgres@127.0.0.1:5432 --responses 10000

Each run has a fresh site and downloads as signed-in staff. `first byte` is the header of the
table, `first row` the data after it. MB above idle are of the server's processes: their peak
during a download, less their memory after the pages around it.
"""

import argparse
import os
import re
import secrets
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import httpx
from databases import fresh_database
from serving import AS_SERVED, HOST, free_port, run, serving

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent

NAME = "bench"  # of the account
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


def list_processes(pid: int) -> list[Path]:
    """Return a process and its descendants, as folders of /proc."""
    found = [Path(f"/proc/{pid}")]
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += list_processes(int(child))
    return found


def read_memory(processes: Sequence[Path], name: str) -> float:
    """Return the sum of a figure of the processes' status, such as VmRSS, in megabytes."""
    texts = [(process / "status").read_text() for process in processes]
    return (
        sum(int(found[1]) for text in texts if (found := re.search(rf"{name}:\s+(\d+)", text)))
        / 1e3
    )


def download(browser: httpx.Client, processes: Sequence[Path]) -> Download:
    """Download the responses once."""
    page = browser.get("/admin/surveys/study/").text
    (address,) = re.findall(r'href="([^"]+/responses\.csv)"', page)
    idle = read_memory(processes, "VmRSS")
    for process in processes:
        (process / "clear_refs").write_text("5")  # reset the peak
    instants, sizes, n_lines = [], [], 0
    started = time.perf_counter()
    with browser.stream("GET", address) as answer:
        answer.raise_for_status()
        for piece in answer.iter_raw():
            instants.append(time.perf_counter() - started)
            sizes.append(len(piece))
            n_lines += piece.count(b"\n")
    seconds = time.perf_counter() - started
    peak = read_memory(processes, "VmHWM")
    return Download(
        n_lines - 1, instants[0], instants[1], seconds, sum(sizes) / 1e6, max(0, peak - idle)
    )


def sign_in(browser: httpx.Client, password: str) -> None:
    """Sign in as staff."""
    browser.get("/admin/login/").raise_for_status()
    answers = {"username": NAME, "password": password, "next": "/admin/"}
    answers["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]
    browser.post("/admin/login/", data=answers, follow_redirects=True).raise_for_status()
    if "sessionid" not in browser.cookies:
        raise SystemExit("Signing in failed.")


def measure(cluster: str | None, n_responses: int, repetitions: int) -> list[Download]:
    """Download from a fresh site, several times."""
    with (
        tempfile.TemporaryDirectory() as made,
        fresh_database("pg" if cluster else "sqlite", Path(made), cluster or "") as url,
    ):
        port = free_port()
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "VAR_DIR": made,
            "SITE_URL": f"http://{HOST}:{port}",
            "ENV_FILE": os.devnull,
            "BENCH_ACCOUNT": NAME,
            "BENCH_PASSWORD": secrets.token_urlsafe(12),
        }
        for arguments in (
            ("manage.py", "migrate", "--verbosity", "0"),
            ("manage.py", "collectstatic", "--noinput", "--verbosity", "0"),
            (str(HERE / "export_data.py"), str(n_responses)),
        ):
            run(sys.executable, *arguments, cwd=REPOSITORY, environment=environment)
        with (
            serving(
                AS_SERVED.command(Path(sys.executable), port, "annotation_site.wsgi:application"),
                cwd=REPOSITORY,
                environment=environment,
                url=environment["SITE_URL"],
                log=Path(made) / "server.log",
            ) as pid,
            httpx.Client(base_url=environment["SITE_URL"], trust_env=False, timeout=60) as browser,
        ):
            sign_in(browser, environment["BENCH_PASSWORD"])
            processes = list_processes(pid)
            return [download(browser, processes) for _ in range(repetitions)]


def write_row(database: str, downloads: Sequence[Download]) -> str:
    """Return a row of the table: medians, but the maximum memory."""
    middle = [median(figures) for figures in zip(*downloads, strict=True)]
    cells = [
        database,
        f"{middle[0]:.0f}",
        *(f"{seconds:.3f}" for seconds in middle[1:3]),
        f"{middle[3]:.2f}",
        f"{middle[4]:.1f}",
        f"{max(found.server_megabytes for found in downloads):.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--responses", type=int, default=100_000)
    add("--cluster", help="PostgreSQL too, such as postgres://postgres@127.0.0.1:5432")
    add("--repetitions", type=int, default=3)
    options = parser.parse_args()
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    for database, cluster in (("SQLite", None), ("PostgreSQL", options.cluster)):
        if cluster or database == "SQLite":
            found = measure(cluster, options.responses, options.repetitions)
            lines.append(write_row(database, found))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
