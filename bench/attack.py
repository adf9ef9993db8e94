"""Attack a site of this checkout in all ways that once did harm, and print the results.

    .venv/bin/python bench/attack.py                   # all rows
    .venv/bin/python bench/attack.py --only A B F
    .venv/bin/python bench/attack.py --cluster postgres://postgres@127.0.0.1:5432

Everything is created in a temporary folder and served on loopback; no other server is contacted.
The exit status is 1 if an expectation failed.
"""

import argparse
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from attack_crashes import end_in_order, kill_a_run, kill_the_server, lock_the_database
from attack_money import kill_the_payers
from attack_places import arrive_at_once, leave_and_return, send_from_many_tabs
from attack_requests import (
    guess_passwords,
    point_webhooks_inside,
    send_hostile_bodies,
    send_no_body,
    silence_the_broker,
    steal_by_id,
    take_all_places,
)
from attacked_site import AttackedSite, Finding
from databases import fresh_database
from reporting import say, table
from serving import HOST

ROWS = "ABCDEF"
COLUMNS = ("row", "tried", "expected", "seen", "holds", "s")
Attack = Callable[[Path, str], Finding]


def on_site(attack: Callable[[AttackedSite], Finding], **settings: str) -> Attack:
    """Return an attack that creates a fresh site first."""

    def attack_fresh(folder: Path, database_url: str) -> Finding:
        return attack(AttackedSite.prepare(folder, database_url, **settings))

    return attack_fresh


def list_attacks(options: argparse.Namespace) -> Iterator[tuple[str, str, Attack]]:
    """Yield row, kind of database and attack."""
    kinds = ["sqlite", "pg"] if options.cluster else ["sqlite"]
    for kind in kinds:
        yield "A", kind, on_site(kill_the_server)
        yield "B", kind, on_site(arrive_at_once)
        yield "B", kind, on_site(send_from_many_tabs)
        yield "C", kind, on_site(leave_and_return)
        yield "F", kind, partial(kill_the_payers, seed=options.seed)
    yield "D", "sqlite", on_site(lock_the_database)
    yield "D", "sqlite", on_site(kill_a_run)
    yield "D", "sqlite", on_site(end_in_order)
    for attack in (
        send_no_body, send_hostile_bodies, guess_passwords, steal_by_id, take_all_places,
        point_webhooks_inside,
    ):  # fmt: skip
        yield "E", "sqlite", on_site(attack)
    yield "E", "sqlite", attack_without_broker


def attack_without_broker(folder: Path, database_url: str) -> Finding:
    """Attack a site whose broker accepts connections and never answers."""
    with socket.create_server((HOST, 0), backlog=100) as broker:
        address = f"redis://{HOST}:{broker.getsockname()[1]}/0"
        attack = on_site(silence_the_broker, CELERY_BROKER_URL=address)
        return attack(folder, database_url)


def main() -> None:
    """Try each attack once and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add: Any = parser.add_argument
    add("--only", nargs="+", choices=ROWS, default=list(ROWS), help="rows of the table")
    add("--cluster", default="", help="a PostgreSQL server, to attack there, too")
    add("--seed", type=int, default=0, help="random seed of the moments of kills")
    options = parser.parse_args()
    rows, all_hold = [], True
    for row, kind, attack in list_attacks(options):
        if row not in options.only:
            continue
        with tempfile.TemporaryDirectory() as name:
            begun = time.monotonic()
            with fresh_database(kind, Path(name), options.cluster) as url:
                found = attack(Path(name) / "site", url)
            seconds = time.monotonic() - begun
        all_hold &= found.holds
        line = [
            found.row, f"{found.tried} ({kind})", found.expected, found.seen,
            "yes" if found.holds else "NO", f"{seconds:.0f}",
        ]  # fmt: skip
        rows.append(line)
        say(" | ".join(line))
    say(f"\n{table(COLUMNS, rows)}")
    sys.exit(not all_hold)


if __name__ == "__main__":
    main()
