"""No acknowledged answer is lost when the server or the database is killed or locked at work."""

import csv
import signal
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx

from tests.end_to_end.databases import OwnPostgres
from tests.end_to_end.site import Site
from tests.machine import ROOT

N_PROCESSES = 2  # that may get in each other's way
N_ANNOTATORS = 10
N_KILLS = 2
N_ITEMS = 7
PATIENCE_SECONDS = 120
LOCKED_SECONDS = 3
ANSWERED = "SELECT count(*) FROM surveys_response WHERE rated_at IS NOT NULL"
STORED = """
SELECT i.id, r.position, r.written1, r.written2, r.rating
FROM surveys_response r JOIN surveys_invitation i ON i.annotator_id = r.annotator_id
WHERE r.engaged_at IS NOT NULL
"""


def test_a_rehearsal_outlives_a_server_that_is_killed(site: Site, tmp_path):
    prepare(site)

    def kill_and_restart() -> None:
        site.kill(signal.SIGKILL)
        site.start()

    acknowledged = rehearse_under_fire(site, tmp_path / "log.csv", kill_and_restart)

    assert_all_stored(site, acknowledged)


def test_a_rehearsal_outlives_a_postgres_that_is_killed(own_postgres: OwnPostgres, tmp_path):
    site = Site(tmp_path, own_postgres.copy_database(), N_PROCESSES)
    prepare(site)
    with site.serving():
        acknowledged = rehearse_under_fire(
            site, tmp_path / "log.csv", own_postgres.kill_and_restart
        )

        assert_all_stored(site, acknowledged)


def test_a_rehearsal_outlives_a_sqlite_that_another_program_locks(site: Site, tmp_path):
    prepare(site)
    path = site.environment["DATABASE_URL"].removeprefix("sqlite:///")

    def lock() -> None:
        with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            time.sleep(LOCKED_SECONDS)

    acknowledged = rehearse_under_fire(site, tmp_path / "log.csv", lock)

    assert_all_stored(site, acknowledged)


def prepare(site: Site) -> None:
    """A study in which the rehearsal finds as many places as it needs."""
    site.make_study(
        ROOT / "demo/data_en.tsv", "study", "--language", "en",
        "--ratings-per-context", "10", "--block-size", str(N_ITEMS),
    )  # fmt: skip


def rehearse_under_fire(site: Site, log: Path, strike: Callable[[], None]) -> list[dict[str, str]]:
    """Rehearse with all annotators at once and strike again and again. What was acknowledged."""
    with ThreadPoolExecutor(1) as other:
        rehearsal = other.submit(
            site.manage, "rehearse_study", "study", "--base-url", site.url, "--patient",
            "--annotators", str(N_ANNOTATORS), "--at-once", str(N_ANNOTATORS), "--log", log,
        )  # fmt: skip
        for number in range(1, N_KILLS + 1):
            wait_for_answers(site, number * N_ANNOTATORS * N_ITEMS // (N_KILLS + 1), rehearsal)
            assert not rehearsal.done()
            strike()
        output = rehearsal.result()
    assert output.splitlines()[-1] == (
        f"Annotators: {N_ANNOTATORS}, judgements: {N_ANNOTATORS * N_ITEMS}."
    )
    with log.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def wait_for_answers(site: Site, n_wanted: int, rehearsal: "Future[str]") -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not rehearsal.done() and site.query(ANSWERED)[0][0] < n_wanted:
        assert time.monotonic() < deadline, "the rehearsal does not get on"
        time.sleep(0.02)


def assert_all_stored(site: Site, acknowledged: list[dict[str, str]]) -> None:
    """Every confirmed answer is there as it was given; everyone has come to the end."""
    stored: dict[tuple[str, str, str], str] = {}
    for invitation, position, word1, word2, rating in site.query(STORED):
        stored[str(invitation), str(position), "engage"] = f"{word1} {word2}"
        stored[str(invitation), str(position), "rate"] = f"{float(rating):g}"
    given = {(a["invitation"], a["position"], a["page"]): a["answer"] for a in acknowledged}
    assert len(given) == len(acknowledged) == 2 * N_ANNOTATORS * N_ITEMS
    assert stored == given
    ended = site.query("SELECT state, is_over_quota FROM surveys_assignment")
    assert [(state, bool(over)) for state, over in ended] == [("submitted", False)] * N_ANNOTATORS
    assert httpx.get(site.url).status_code == httpx.codes.OK
