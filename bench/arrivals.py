"""Measure how many places a script takes through an open link, and what a person gets meanwhile.

python bench/arrivals.py --seconds 10

The script consents as fast as it can, first from one address, then from a new one each time; a
person comes once a second from a separate address. The site reads the addresses from
`X-Forwarded-For`, as behind a proxy. `--per-address 0 --per-link 0` disables the rate limits.
"""

import argparse
import os
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

import httpx
from serving import AS_SERVED, HOST, free_port, run, serving

REPOSITORY = Path(__file__).resolve().parent.parent
N_PLACES = 200
N_SCRIPTS = 8  # at once
FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
PERSON = "192.0.2.1"


class Taken(NamedTuple):
    """Answers to a script and a person, counted by HTTP status; 302 is a place."""

    script: Counter[int]
    person: Counter[int]
    seconds: float

    def __str__(self) -> str:
        script, person = describe(self.script), describe(self.person)
        return f"script: {script}; person: {person}; in {self.seconds:.1f} s"


def describe(statuses: Counter[int]) -> str:
    """Return how many places were given, and how often each refusal."""
    refused = [f"{n} times {status}" for status, n in sorted(statuses.items()) if status != 302]
    return ", ".join([f"{statuses[302]} places", *refused])


def one_address() -> Iterator[str]:
    """Yield the same address forever."""
    while True:
        yield "198.51.100.1"


def many_addresses() -> Iterator[str]:
    """Yield a new address each time."""
    for n in count():
        yield f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"


def come(client: httpx.Client, entrance: str, address: str) -> int:
    """Open an open link and consent from an address; return the status, 302 for a place."""
    headers = {"x-forwarded-for": address}
    page = client.get(entrance, headers=headers)
    own = httpx.URL(entrance).join(page.headers.get("location", ""))
    page = client.get(own, headers=headers)
    if "<form" not in page.text:
        return 409 if page.status_code == 200 else page.status_code
    sent = {**dict(FIELD.findall(page.text)), "answer": "agree"}
    return client.post(own, data=sent, headers=headers).status_code


def attack(entrance: str, addresses: Iterator[str], seconds: float) -> Taken:
    """Let a script take places through an open link for some seconds while a person comes, too."""
    over, lock = threading.Event(), threading.Lock()
    script: Counter[int] = Counter()
    person: Counter[int] = Counter()

    def repeat(statuses: Counter[int], next_address: Callable[[], str], pause: float) -> None:
        with httpx.Client(trust_env=False, timeout=60) as client:
            while not over.wait(pause):
                with lock:
                    address = next_address()
                status = come(client, entrance, address)
                with lock:
                    statuses[status] += 1

    jobs = [(script, lambda: next(addresses), 0.0)] * N_SCRIPTS
    people = [threading.Thread(target=repeat, args=job) for job in jobs]
    people.append(threading.Thread(target=repeat, args=(person, lambda: PERSON, 1.0)))
    started = time.perf_counter()
    for one in people:
        one.start()
    over.wait(seconds)
    over.set()
    for one in people:
        one.join()
    return Taken(script, person, time.perf_counter() - started)


def measure(folder: Path, database_url: str, options: argparse.Namespace) -> list[str]:
    """Attack a fresh site from one address and from many, with a study each; return the results."""
    site = f"http://{HOST}:{free_port()}"
    environment = {
        **os.environ,
        "ENV_FILE": os.devnull,
        "DATABASE_URL": database_url,
        "VAR_DIR": str(folder / "var"),
        "SITE_URL": site,
        "TRUSTED_PROXIES": HOST,
        "ARRIVALS_PER_ADDRESS": options.per_address,
        "ARRIVALS_PER_LINK": options.per_link,
    }
    (folder / "var").mkdir()
    python = options.python.absolute()

    def manage(*words: str | Path) -> str:
        return run(python, "manage.py", *words, cwd=REPOSITORY, environment=environment)

    manage("prepare_site", "--no-demo")
    entrances = {}
    for study in ("one-address", "many-addresses"):
        manage(
            "import_stimuli", REPOSITORY / "demo/data_en.tsv", "--study", study, "--language",
            "en", "--ratings-per-context", str(N_PLACES // 2),
        )  # fmt: skip
        manage(
            "open_study", study, "--organisation", "Benchmark", "--contact", "bench@example.org",
            "--consent-reviewed-by", "Benchmark",
        )  # fmt: skip
        entrances[study] = manage("open_link", study).split()[-1]
    served = AS_SERVED.command(
        python, int(site.rpartition(":")[2]), "annotation_site.wsgi:application"
    )
    log = folder / "server.log"
    with serving(served, cwd=REPOSITORY, environment=environment, url=site, log=log):
        return [
            f"{study}: {attack(entrances[study], addresses, options.seconds)}"
            for study, addresses in (
                ("one-address", one_address()),
                ("many-addresses", many_addresses()),
            )
        ]


def main() -> None:
    """Measure once and print the result with the load of the machine before and after."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--seconds", type=float, default=10, help="how long each script tries (10)")
    add("--per-address", default="60", help="ARRIVALS_PER_ADDRESS of the site (60)")
    add("--per-link", default="120", help="ARRIVALS_PER_LINK of the site (120)")
    add("--database-url", help="an empty database; else a SQLite file")
    add("--python", type=Path, default=Path(sys.executable), help="of the site")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database_url = options.database_url or f"sqlite:///{folder / 'site'}"
        for result in measure(folder, database_url, options):
            sys.stdout.write(f"{N_PLACES} places, {result}\n")
    sys.stdout.write(f"Load average: {before:.1f} before, {os.getloadavg()[0]:.1f} after.\n")


if __name__ == "__main__":
    main()
