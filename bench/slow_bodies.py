"""Measure how long pages take while connections are held whose bodies never come.

    .venv/bin/python bench/slow_bodies.py

It starts `scripts/serve` on a fresh site, without a proxy, or uses the site of `--url`.
"""

import argparse
import asyncio
import os
import re
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
from reporting import say, table
from serving import HOST, free_port

REPOSITORY = Path(__file__).resolve().parent.parent
TARGETS = ("/", "/survey/unknown/1/words/", "/console/sign-in/", "/api/v1/studies/")
START_SECONDS = 300
N_PEOPLE = 4
COLUMNS = ("silent sockets", "pages", "errors", "p50, ms", "p95, ms", "worst, ms", "ended by 408")


class Waiting(NamedTuple):
    """Waiting times for pages in milliseconds, and answers to the silent sockets."""

    n_silent: int
    waits: list[float]
    n_errors: int
    n_ended: int

    def row(self) -> list[str]:
        """Return a row of the table."""
        percentiles = statistics.quantiles(self.waits, n=100)
        shown = (percentiles[49], percentiles[94], max(self.waits))
        figures = [f"{wait:.0f}" for wait in shown]
        return [str(self.n_silent), str(len(self.waits)), str(self.n_errors), *figures,
                str(self.n_ended)]  # fmt: skip


async def hold_connection(url: str, path: str, *, is_dripping: bool) -> bool:
    """Send a form without body, or a byte a second; return whether it ended with 408."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 100000\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    )
    writer.write(head.encode())
    answer = asyncio.ensure_future(reader.read(12))
    try:
        while is_dripping and not answer.done():
            writer.write(b"a")
            await asyncio.sleep(1)
        return await answer == b"HTTP/1.1 408"
    except ConnectionError:
        return False
    finally:
        answer.cancel()
        writer.close()


async def visit(pages: Sequence[str], until: float) -> tuple[list[float], int]:
    """Request pages one after another, each on a new connection."""
    waits, n_errors = [], 0
    while time.monotonic() < until:
        for page in pages:
            began = time.monotonic()
            try:
                async with httpx.AsyncClient(trust_env=False, timeout=10, verify=False) as client:  # noqa: S501
                    answer = await client.get(page)
                n_errors += answer.status_code != httpx.codes.OK
            except httpx.TransportError:
                n_errors += 1
            waits.append(1000 * (time.monotonic() - began))
    return waits, n_errors


async def measure(url: str, link: str, *, n_silent: int, seconds: float) -> Waiting:
    """Request pages while connections are held; every second one sends a byte a second."""
    targets = [*TARGETS, urlsplit(link).path]
    held = [
        asyncio.ensure_future(
            hold_connection(url, targets[n % len(targets)], is_dripping=n % 2 == 0)
        )
        for n in range(n_silent)
    ]
    until = time.monotonic() + seconds
    found = await asyncio.gather(*(visit([url, link], until) for _ in range(N_PEOPLE)))
    n_ended = sum(task.done() and not task.exception() and task.result() for task in held)
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    waits = [wait for some, _ in found for wait in some]
    return Waiting(n_silent, waits, sum(number for _, number in found), n_ended)


@contextmanager
def served() -> Iterator[tuple[str, str]]:
    """Start `scripts/serve` on a fresh site; yield its URL and a personal link."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        unset = {"DATABASE_URL", "SITE_URL", "SECRET_KEY", "DEBUG", "ALLOWED_HOSTS"}
        kept = {name: text for name, text in os.environ.items() if name not in unset}
        environment = {**kept, "VAR_DIR": folder, "ENV_FILE": os.devnull}
        port = free_port()
        with said.open("w") as heard:
            serve = subprocess.Popen(  # noqa: S603  (a command of our own)
                [REPOSITORY / "scripts/serve", "--port", str(port)],
                cwd=REPOSITORY, env=environment, stdout=heard, start_new_session=True,
            )  # fmt: skip
        try:
            deadline = time.monotonic() + START_SECONDS
            while "To stop" not in said.read_text():
                if serve.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("scripts/serve did not start")
                time.sleep(0.1)
            link = re.findall(r"http://\S+/invitation/\S+", said.read_text())[0]
            yield f"http://{HOST}:{port}", link
        finally:
            with suppress(ProcessLookupError):
                os.killpg(serve.pid, signal.SIGINT)
            serve.wait()


def main() -> None:
    """Measure with and without silent sockets, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--silent", nargs="+", type=int, default=[0, 50, 500], help="numbers of silent sockets")
    add("--seconds", type=float, default=30, help="duration for each number")
    add("--url", help="a site that is served already; needs --link")
    add("--link", help="a personal link of that site")
    options = parser.parse_args()

    def measure_all(url: str, link: str) -> None:
        rows = [
            asyncio.run(measure(url, link, n_silent=number, seconds=options.seconds)).row()
            for number in options.silent
        ]
        say(table(COLUMNS, rows))

    say(f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}")
    if options.url:
        measure_all(options.url, options.link or options.url)
    else:
        with served() as (url, link):
            measure_all(url, link)


if __name__ == "__main__":
    main()
