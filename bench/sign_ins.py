"""Measure how long a survey page takes while clients send sign-ins by random names.

python bench/sign_ins.py --clients 16 --seconds 20

Once from one address and once from a new address for each try, as a botnet would behind a proxy.
"""

import argparse
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import NamedTuple

import httpx
from serving import AS_SERVED, HOST, free_port, run, serving

REPOSITORY = Path(__file__).resolve().parent.parent
SIGN_IN = "/console/sign-in/"
STUDY = "demo-en"
PAUSE = 0.05  # seconds between two pages of an annotator
PATIENCE = 60
WARM_UP = 20  # seconds at most until the first refusal


class Report(NamedTuple):
    """Waiting times for a page in ms, and the statuses of the sign-ins."""

    waits: list[float]
    statuses: Counter[int]

    def __str__(self) -> str:
        median = statistics.median(self.waits)
        worst = sorted(self.waits)[int(0.95 * len(self.waits))]
        tries = ", ".join(f"{n} × {status}" for status, n in sorted(self.statuses.items()))
        pages = f"p50 {median:.0f} ms, p95 {worst:.0f} ms of {len(self.waits)} pages"
        return f"{pages}; sign-ins {tries or 'none'}"


def measure(site: str, page: str, *, n_clients: int, seconds: float, spread: bool) -> Report:
    """Request a page repeatedly while clients send sign-ins; with `spread` from many addresses.

    It begins with the first refusal, when the unthrottled password checks are used up.
    """
    context = get_context("spawn")
    refused, over, results = context.Event(), context.Event(), context.SimpleQueue()
    given = (site, n_clients, spread, refused, over, results)
    attackers = context.Process(target=_attack, args=given)
    attackers.start()
    try:
        refused.wait(WARM_UP)
        waits = visit(site + page, seconds)
    finally:
        over.set()
    statuses = results.get()
    attackers.join()
    return Report(waits, statuses)


def _warm_up(site: str, page: str) -> None:
    """Warm up each process of the server, over new connections."""
    for _ in range(16):
        httpx.get(site + page, trust_env=False, timeout=PATIENCE).raise_for_status()
        httpx.get(site + SIGN_IN, trust_env=False, timeout=PATIENCE).raise_for_status()


def visit(page: str, seconds: float) -> list[float]:
    """Request a page repeatedly; return the waiting times in ms."""
    waits, end = [], time.monotonic() + seconds
    with httpx.Client(trust_env=False, timeout=PATIENCE) as annotator:
        while time.monotonic() < end:
            began = time.monotonic()
            annotator.get(page).raise_for_status()
            waits.append(1000 * (time.monotonic() - began))
            time.sleep(PAUSE)
    return waits


def _attack(
    site: str,
    n_clients: int,
    spread: bool,
    refused: Event,
    over: Event,
    results: "SimpleQueue[Counter[int]]",
) -> None:
    def send(_number: int) -> Counter[int]:
        statuses: Counter[int] = Counter()
        with httpx.Client(base_url=site, trust_env=False, timeout=PATIENCE) as client:
            client.get(SIGN_IN)
            form = {"csrfmiddlewaretoken": client.cookies["csrftoken"], "password": "wrong"}
            while not over.is_set():
                form["username"] = secrets.token_hex(8)
                address = ".".join(str(1 + secrets.randbelow(250)) for _ in range(4))
                headers = {"X-Forwarded-For": address} if spread else {}
                status = client.post(SIGN_IN, data=form, headers=headers).status_code
                statuses[status] += 1
                if status == httpx.codes.TOO_MANY_REQUESTS:
                    refused.set()
        return statuses

    with ThreadPoolExecutor(n_clients) as clients:
        results.put(sum(clients.map(send, range(n_clients)), Counter()))


def measure_fresh_site(
    folder: Path, options: argparse.Namespace, *, spread: bool
) -> tuple[Report, Report]:
    """Set a site up as `scripts/serve` does, serve it, and measure without and with clients."""
    site = f"http://{HOST}:{free_port()}"
    environment = {
        **os.environ,
        "ENV_FILE": os.devnull,
        "DATABASE_URL": options.database_url or f"sqlite:///{folder / 'site'}",
        "VAR_DIR": str(folder / "var"),
        "SITE_URL": site,
        "TRUSTED_PROXIES": HOST if spread else "",
    }
    (folder / "var").mkdir()
    python = options.python.absolute()

    def manage(*words: str) -> str:
        return run(python, "manage.py", *words, cwd=REPOSITORY, environment=environment)

    manage("prepare_site")
    page = manage("invite_annotators", STUDY).strip().removeprefix(site)
    port = int(site.rpartition(":")[2])
    served = AS_SERVED.command(python, port, "annotation_site.wsgi:application")
    log = folder / "server.log"
    with serving(served, cwd=REPOSITORY, environment=environment, url=site, log=log):
        _warm_up(site, page)
        quiet = Report(visit(site + page, options.seconds / 2), Counter())
        attacked = measure(
            site, page, n_clients=options.clients, seconds=options.seconds, spread=spread
        )
    return quiet, attacked


def main() -> None:
    """Measure without clients, from one address and from many, and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--clients", type=int, default=16, help="number of concurrent clients (16)")
    add("--seconds", type=float, default=20, help="duration of each measurement (20)")
    add("--database-url", help="an empty database; else a SQLite file for each site")
    add("--python", type=Path, default=Path(sys.executable), help="of the site")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    for name, spread in (("one address", False), ("many addresses", True)):
        with tempfile.TemporaryDirectory() as folder:
            quiet, attacked = measure_fresh_site(Path(folder), options, spread=spread)
        sys.stdout.write(f"no client: {quiet}\n{options.clients} clients, {name}: {attacked}\n")
    sys.stdout.write(f"Load average: {before:.1f} before, {os.getloadavg()[0]:.1f} after.\n")


if __name__ == "__main__":
    main()
