"""Measure how many places a script takes through an open link, and what a person gets meanwhile.

    .venv/bin/python bench/arrivals.py --seconds 10

The script consents as fast as it can, first from one address, then from a new one each time; a
person comes once a second from a separate address. The site reads the addresses from
`X-Forwarded-For`, as behind a proxy. `--per-address 0 --per-link 0` disables the rate limits.
"""

import argparse
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

import httpx
from databases import CLUSTER, DATABASES
from reporting import read_options, say
from serving import HOST
from sites import fresh_site

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


def measure(kind: str, options: argparse.Namespace) -> None:
    """Attack a fresh site from one address and from many, with a study each."""
    with fresh_site(
        kind, options.cluster, TRUSTED_PROXIES=HOST, ARRIVALS_PER_LINK=str(options.per_link),
        ARRIVALS_PER_ADDRESS=str(options.per_address),
    ) as site:  # fmt: skip
        studies = {"one-address": one_address(), "many-addresses": many_addresses()}
        for study in studies:
            site.make_study(4, ratings=N_PLACES // 2, block_size=2, slug=study)
        entrances = {study: site.manage("open_link", study).split()[-1] for study in studies}
        with site.serving():
            for study, addresses in studies.items():
                taken = attack(entrances[study], addresses, options.seconds)
                say(f"{N_PLACES} places, {study}: {taken}")


def main() -> None:
    """Measure on each database."""
    options = read_options(
        __doc__,
        seconds=(10.0, "how long each script tries"),
        per_address=(60, "ARRIVALS_PER_ADDRESS of the site"),
        per_link=(120, "ARRIVALS_PER_LINK of the site"),
        databases=DATABASES,
        cluster=CLUSTER,
    )
    for kind in options.databases:
        measure(kind, options)


if __name__ == "__main__":
    main()
