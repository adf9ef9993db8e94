"""Measure how long people wait for pages while 200 other clients are as slow as they can.

    .venv/bin/python bench/slow_clients.py
    .venv/bin/python bench/slow_clients.py --databases pg --cluster postgres://postgres@127.0.0.1

On a fresh site, served as by `scripts/serve`, without a proxy. Four people request pages, each on a
new connection: at rest, and then while slow clients hold their connections. They come within some
seconds, and again when they are cut off. The goal is a 95th percentile of 300 ms, or of 1.5 times
the one at rest on a busy machine. MB are the memory of the server's processes (PSS), and of the
kernel for all TCP connections of the machine, while the connections are held.
"""

import argparse
import asyncio
import os
import re
import socket
import ssl
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

import httpx
from databases import CLUSTER, DATABASES
from django.core.files.base import ContentFile
from django.utils import timezone
from filling import RESEARCHER, STUDY, fill
from processes import list_processes, read_megabytes
from reporting import read_options, say, table
from serving import HOST
from sites import Site, fresh_site

N_PEOPLE = 4
GOAL_MS, GOAL_RATIO = 300, 1.5
N_RESPONSES = 20_000  # in the study that is exported
ARCHIVE_MB = 12
ARCHIVE, EXPORT = "/tasks/slow/archive.zip", f"/api/v1/studies/{STUDY}/responses.csv"
# Without certificates, which no site here has: reading them takes longer than a request.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
PATIENCE = 10  # seconds that people wait for a page
ARRIVAL_SECONDS = 6  # in which the slow clients come
SETTLE_SECONDS = 2
COLUMNS = ("slow clients", "at rest: p50, ms", "p95, ms", "pages", "errors", "p50, ms", "p95, ms",
           "worst, ms", "goal", "server, MB", "kernel, MB")  # fmt: skip


class Slow(NamedTuple):
    """What a slow client does: it sends a beginning, then a byte a second, and reads slowly."""

    name: str
    start: str
    rest: str = ""
    n_read: int = 0  # bytes a second
    closes_writing: bool = False


def list_slow(token: str) -> list[Slow]:
    """Return all kinds of slow clients."""
    ask = f"HTTP/1.1\r\nHost: {HOST}\r\n"
    targets = {
        "a download": f"GET {ARCHIVE} {ask}\r\n",
        "an export": f"GET {EXPORT} {ask}Authorization: Bearer {token}\r\n\r\n",
        "a page": f"GET / {ask}\r\n",
    }
    form = (
        f"POST / {ask}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9999\r\n"
    )
    return [
        *(Slow(f"read nothing of {name}", asked) for name, asked in targets.items()),
        *(Slow(f"read {name} by a byte a second", asked, n_read=1)
          for name, asked in targets.items()),
        Slow("request 3 pages at once and read nothing", targets["a page"] * 3),
        Slow("send a head by a byte a second", f"GET / {ask}X-Slow: ", "a"),
        Slow("send a body by a byte a second", f"{form}\r\n", "a"),
        Slow("send nothing", ""),
        Slow("close their side and read nothing", targets["a download"], closes_writing=True),
    ]  # fmt: skip


async def be_slow(url: str, slow: Slow, delay: float) -> None:
    """Hold a connection to the site after a delay, and connect again whenever it is closed."""
    await asyncio.sleep(delay)
    address, loop = httpx.URL(url), asyncio.get_running_loop()
    while True:
        with suppress(OSError), socket.socket() as connection:
            connection.setblocking(False)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await loop.sock_connect(connection, (address.host, address.port))
            await loop.sock_sendall(connection, slow.start.encode())
            if slow.closes_writing:
                connection.shutdown(socket.SHUT_WR)
            while True:
                await asyncio.sleep(1)
                if slow.n_read and not await loop.sock_recv(connection, slow.n_read):
                    break
                await loop.sock_sendall(connection, slow.rest.encode())
        await asyncio.sleep(1)


async def visit(pages: Sequence[str], until: float) -> tuple[list[float], int]:
    """Request pages one after another, each on a new connection; return milliseconds and errors."""
    waits, n_errors = [], 0
    while time.monotonic() < until:
        for page in pages:
            began = time.monotonic()
            try:
                async with httpx.AsyncClient(
                    trust_env=False, timeout=PATIENCE, verify=NO_CERTIFICATES
                ) as browser:
                    n_errors += (await browser.get(page)).status_code != httpx.codes.OK
            except httpx.TransportError:
                n_errors += 1
            waits.append(1000 * (time.monotonic() - began))
    return waits, n_errors


class Waits(NamedTuple):
    """Milliseconds that people waited for pages, and how many pages failed."""

    waits: list[float]
    n_errors: int

    @property
    def p95(self) -> float:
        """Return the 95th percentile."""
        return quantiles(self.waits, n=20)[-1]


async def request_pages(pages: Sequence[str], seconds: float) -> Waits:
    """Request pages as several people do."""
    until = time.monotonic() + seconds
    seen = await asyncio.gather(*(visit(pages, until) for _ in range(N_PEOPLE)))
    return Waits([wait for waits, _ in seen for wait in waits], sum(n for _, n in seen))


async def measure(
    url: str, server: int, pages: Sequence[str], slow: Slow, *, n_slow: int, seconds: float
) -> list[str]:
    """Request pages at rest, and while slow clients hold connections; return a row of the table."""
    rest = await request_pages(pages, seconds / 2)
    held = [
        asyncio.ensure_future(be_slow(url, slow, ARRIVAL_SECONDS * number / n_slow))
        for number in range(n_slow)
    ]
    await asyncio.sleep(ARRIVAL_SECONDS + SETTLE_SECONDS)
    now = await request_pages(pages, seconds)
    memory = read_memory(server)
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    await asyncio.sleep(SETTLE_SECONDS)
    holds = not now.n_errors and now.p95 <= max(GOAL_MS, GOAL_RATIO * rest.p95)
    shown = (
        median(rest.waits), rest.p95, len(now.waits), now.n_errors, median(now.waits), now.p95,
        max(now.waits),
    )  # fmt: skip
    return [
        f"{n_slow} {slow.name}", *(f"{figure:.0f}" for figure in shown),
        "met" if holds else "MISSED", *(f"{megabytes:.0f}" for megabytes in memory),
    ]  # fmt: skip


def read_memory(server: int) -> tuple[float, float]:
    """Return the megabytes of a server's processes, and of the kernel's TCP buffers."""
    pages = re.search(r"^TCP:.* mem (\d+)", Path("/proc/net/sockstat").read_text(), re.MULTILINE)
    kernel = int(pages[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if pages else 0
    return read_megabytes(list_processes(server), "Pss"), kernel


def publish() -> None:
    """Create a published shared task with an archive, whose content nobody reads."""
    from surveys.sharedtasks.models import SharedTask, SharedTaskState

    now = timezone.now()
    task = SharedTask(
        slug="slow", title="Slow", contact="-", state=SharedTaskState.PUBLISHED, opened_at=now,
        finalised_at=now, published_at=now,
    )  # fmt: skip
    task.archive.save("archive.zip", ContentFile(os.urandom(ARCHIVE_MB * 10**6)))


def fill_site(site: Site) -> tuple[list[str], str]:
    """Create studies and a published task; return pages to visit, and a researcher's token."""
    site.call(fill, 2 * N_RESPONSES)
    site.call(publish)
    site.make_study(4, ratings=2, block_size=2)
    site.settle()
    (path,) = site.invite(1)
    token = site.manage("make_token", RESEARCHER, "slow", "--scope", "responses:read").split()[-1]
    return [site.url, site.url + path, f"{site.url}/tasks/slow/"], token


def measure_all(kind: str, options: argparse.Namespace) -> None:
    """Measure on one database, and print a table."""
    with fresh_site(kind, options.cluster, DJANGO_SETTINGS_MODULE="bench.unlimited") as site:
        pages, token = fill_site(site)
        with site.serving() as pid:
            for target in (ARCHIVE, EXPORT):
                httpx.get(
                    site.url + target, headers={"Authorization": f"Bearer {token}"}, trust_env=False
                ).raise_for_status()
            asyncio.run(request_pages(pages, 3))  # the first ones are slower
            rows = []
            for slow in list_slow(token):
                if options.only in slow.name:
                    given = site.url, pid, pages, slow
                    row = measure(*given, n_slow=options.slow, seconds=options.seconds)
                    rows.append(asyncio.run(row))
                    sys.stderr.write(f"{' | '.join(rows[-1])}\n")
        log = (site.folder / "server.log").read_text()
    say(f"\n{kind}\n\n{table(COLUMNS, rows)}")
    say(f"\nThe server's log: {len(log.splitlines())} lines, {log.count('Traceback')} tracebacks")


def main() -> None:
    """Measure on each database."""
    options = read_options(
        __doc__,
        slow=(200, "number of slow clients"),
        seconds=(8.0, "duration for each kind of slow client"),
        only=("", "part of the kinds' names, to measure only some"),
        databases=DATABASES,
        cluster=CLUSTER,
    )
    for kind in options.databases:
        measure_all(kind, options)


if __name__ == "__main__":
    main()
