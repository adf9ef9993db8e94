"""Rows A and D: the server is killed under load, the database is locked, a run dies."""

import csv
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing

import httpx
from attacked_site import STUDY, AttackedSite, Finding, open_browser

N_ANNOTATORS, N_ITEMS, N_KILLS = 40, 7, 3
LOCKED_SECONDS = 10
MAX_RETRY_SECONDS = 120.0  # until a killed run is done
RATED = "SELECT count(*) FROM surveys_response WHERE rated_at IS NOT NULL"
STORED = """
SELECT i.id, r.position, r.inspired_word1, r.inspired_word2, r.rating
FROM surveys_response r JOIN surveys_invitation i ON i.annotator_id = r.annotator_id
WHERE r.engaged_at IS NOT NULL
"""
ENDED = "SELECT state, count(*) FROM surveys_assignment GROUP BY state"


def kill_the_server(site: AttackedSite) -> Finding:
    """Kill all processes of the server three times while 40 annotators answer."""

    def kill_and_restart() -> None:
        site.kill()
        site.start()

    seen, holds = _rehearse_under_attack(site, kill_and_restart)
    return Finding(
        "A", f"kill -9 of the server, {N_KILLS} times, {N_ANNOTATORS} annotators × {N_ITEMS} items",
        "0 acknowledged pages lost, all finish", seen, holds,
    )  # fmt: skip


def lock_the_database(site: AttackedSite) -> Finding:
    """Hold SQLite's write lock from outside, three times, while 40 annotators answer."""
    path = site.environment["DATABASE_URL"].removeprefix("sqlite:///")

    def lock() -> None:
        with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(LOCKED_SECONDS)
            other.execute("ROLLBACK")

    seen, holds = _rehearse_under_attack(site, lock)
    return Finding(
        "D", f"SQLite locked from outside, {N_KILLS} × {LOCKED_SECONDS} s",
        "0 acknowledged pages lost, all finish", seen, holds,
    )  # fmt: skip


def _rehearse_under_attack(site: AttackedSite, strike: Callable[[], None]) -> tuple[str, bool]:
    """Strike while scripted annotators answer; compare acknowledged answers with stored ones."""
    log = site.folder / "acknowledged.csv"
    n_places = N_ANNOTATORS // 4  # two blocks of two questionnaires
    site.make_study(2 * N_ITEMS, ratings=n_places, block_size=N_ITEMS)
    with site.serving(), ThreadPoolExecutor(1) as other:
        rehearsal = other.submit(
            site.manage, "rehearse_study", STUDY, "--base-url", site.url, "--patient",
            "--annotators", str(N_ANNOTATORS), "--at-once", str(N_ANNOTATORS), "--log", log,
        )  # fmt: skip
        for number in range(1, N_KILLS + 1):
            _await_ratings(site, number * N_ANNOTATORS * N_ITEMS // (N_KILLS + 1), rehearsal)
            strike()
        rehearsal.result()
    with log.open(encoding="utf-8") as file:
        given = {
            (a["invitation"], a["position"], a["page"]): a["answer"] for a in csv.DictReader(file)
        }
    stored = _read_stored(site)
    n_lost = sum(stored.get(key) != answer for key, answer in given.items())
    ends = dict(site.query(ENDED))
    n_finished = ends.get("submitted", 0)
    seen = f"{len(given)} acknowledged, {n_lost} lost or changed, {n_finished} finished"
    return seen, (len(given), n_lost, ends) == (
        2 * N_ANNOTATORS * N_ITEMS, 0, {"submitted": N_ANNOTATORS}
    )  # fmt: skip


def _await_ratings(site: AttackedSite, n_wanted: int, rehearsal: "Future[str]") -> None:
    while not rehearsal.done() and site.query(RATED)[0][0] < n_wanted:
        time.sleep(0.02)


def _read_stored(site: AttackedSite) -> dict[tuple[str, str, str], str]:
    stored: dict[tuple[str, str, str], str] = {}
    for invitation, position, word1, word2, rating in site.query(STORED):
        stored[str(invitation), str(position), "engage"] = f"{word1} {word2}"
        if rating is not None:
            stored[str(invitation), str(position), "rate"] = f"{float(rating):g}"
    return stored


def kill_a_run(site: AttackedSite) -> Finding:
    """Kill the server in the middle of a run and restart it; the run must resume by itself."""
    site.make_study(2, ratings=2, block_size=2)
    headers = {"Authorization": f"Bearer {site.make_token()}"}
    with site.serving(), open_browser() as browser:
        site.manage("rehearse_study", STUDY, "--base-url", site.url, "--annotators", "4")
        asked = browser.post(
            f"{site.url}/api/v1/studies/{STUDY}/runs/", headers=headers, json={"preset": "raw"}
        )
        asked.raise_for_status()
        _await_run(site, "running")
        site.kill()
        begun = time.monotonic()
        site.start()
        state = _await_run(site, "done")
    seconds = time.monotonic() - begun
    return Finding(
        "D", "kill -9 in the middle of a run", "found within a minute, retried by itself",
        f"{state} {seconds:.0f} s after the kill", state == "done" and seconds < MAX_RETRY_SECONDS,
    )  # fmt: skip


def _await_run(site: AttackedSite, wanted: str) -> str:
    """Wait until the run is in a state, has failed, or time is out; return its state."""
    deadline = time.monotonic() + MAX_RETRY_SECONDS
    while True:
        ((state,),) = site.query("SELECT state FROM surveys_run")
        if state in (wanted, "failed", "done") or time.monotonic() > deadline:
            return str(state)
        time.sleep(0.02)


def end_in_order(site: AttackedSite) -> Finding:
    """Send SIGTERM while 30 clients request a page repeatedly; count answers cut off."""
    site.make_study(2, ratings=2, block_size=2)
    (link,) = site.invite(1)
    n_cut = n_answered = 0
    with site.serving(), ThreadPoolExecutor(30) as people:
        asked = [people.submit(_request_until_refused, link) for _ in range(30)]
        time.sleep(2)
        os.kill(site.process, signal.SIGTERM)
        for one in asked:
            answered, cut = one.result()
            n_answered, n_cut = n_answered + answered, n_cut + cut
    return Finding(
        "D", "SIGTERM with 30 clients", "0 answers cut off",
        f"{n_answered} answers, {n_cut} cut off", n_cut == 0,
    )  # fmt: skip


def _request_until_refused(link: str) -> tuple[int, int]:
    """Send requests until nothing listens; return the numbers of answers and of cut ones."""
    n_answered = 0
    while True:
        with open_browser() as browser:
            try:
                browser.get(link)
            except httpx.ConnectError:
                return n_answered, 0
            except httpx.TransportError:
                return n_answered, 1
        n_answered += 1
