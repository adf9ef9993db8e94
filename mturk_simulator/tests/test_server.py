"""The simulator's server: accepted requests, stored state, concurrency."""

import re
import signal
import socket
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from mturk_simulator.client import CrowdRefused
from mturk_simulator.http.server import NotLoopback, SimulatorServer
from mturk_simulator.market.market import Market
from mturk_simulator.market.store import Store
from mturk_simulator.tests.stage import Stage, balance, group_of, places, publish, statuses, work_on

ROOT = Path(__file__).resolve().parents[2]


def refusal_of(*options: str) -> str:
    """Return what the simulator says when it cannot start."""
    command = [sys.executable, "-m", "mturk_simulator", *options]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    return refused.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])  # noqa: S104  they are refused
def test_only_this_machine_is_served(host):
    with pytest.raises(NotLoopback):
        SimulatorServer(Market(Store()), host=host)


def test_an_address_of_another_machine_is_reported():
    assert "192.0.2.1 is not a loopback address" in refusal_of("--host", "192.0.2.1")


def test_taken_port_is_reported():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port}" in refusal_of("--port", str(port))


def test_invalid_state_file_is_reported(tmp_path):
    (tmp_path / "mturk.sqlite3").write_text("This is not a database, and it is long enough.")

    assert "Cannot keep the state" in refusal_of("--port", "0", "--keep", str(tmp_path))


@contextmanager
def running_process(*options: str):
    """Run the simulator as a process and kill it at the end."""
    command = [sys.executable, "-m", "mturk_simulator", "--port", "0", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = re.search(r"http://\S+", process.stdout.readline()).group()
            token = re.search(r"/control/\?token=(\S+)", process.stdout.readline()).group(1)
            with httpx.Client(trust_env=False, follow_redirects=True) as browser:
                yield Stage(url, browser, token)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=60)


def test_killed_simulator_loses_nothing(tmp_path):
    keep = ("--keep", str(tmp_path))
    with running_process(*keep, "--platform", "http://localhost:8000/") as stage:
        requester, worker = stage.client(), stage.worker()
        hit_id = publish(requester, MaxAssignments=2, UniqueRequestToken="t")
        requester.approve_assignment(AssignmentId=work_on(requester, worker, hit_id))
        stage.control.queue_fault("GetHIT", "fail")
        stage.control.advance(60)
        before = stage.control.snapshot()
        assert 'href="http://localhost:8000/console/"' in stage.browser.get(stage.url).text

    with running_process(*keep) as again:
        assert again.token == stage.token
        stage = again
        assert stage.control.snapshot() == before
        stage.control.clear_faults()
        assert places(stage.client(), hit_id) == ("Assignable", 1, 0, 1)
        assert statuses(stage.client(), hit_id) == ["Approved"]
        assert balance(stage.client()) == ("9998.80", "0.60")

    with sqlite3.connect(tmp_path / "mturk.sqlite3") as database:
        assert database.execute("SELECT count(*) FROM hit").fetchone() == (1,)


def test_twenty_workers_race_for_nine_places(simulator, requester):
    hit_id = publish(requester, MaxAssignments=9)
    group_id = group_of(requester, hit_id)
    workers = [simulator.worker() for _ in range(20)]

    def race(worker):
        try:
            held = worker.accept(group_id)
            worker.submit(held.mturk_assignment_id, {"by": worker.worker_id})
        except CrowdRefused:
            return None
        return held.mturk_assignment_id

    with ThreadPoolExecutor(20) as people:
        ids = [found for found in people.map(race, workers) if found]

    assert len(ids) == len(set(ids)) == 9
    assert places(requester, hit_id) == ("Reviewable", 0, 0, 0)
    assert len(statuses(requester, hit_id)) == 9


def test_one_token_used_at_once_makes_one_hit(simulator, requester):
    def create(_number):
        try:
            return publish(simulator.client(), UniqueRequestToken="t")
        except requester.exceptions.ClientError:
            return None

    with ThreadPoolExecutor(8) as programs:
        made = [hit_id for hit_id in programs.map(create, range(8)) if hit_id]

    assert len(made) == requester.list_hits()["NumResults"] == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:80"}, 200),
        ({"Host": "rebound.example:80"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_other_sites_cannot_use_the_browser_of_this_machine(simulator, headers, status):
    headers = {**simulator.control_headers, **headers}
    answer = simulator.browser.post(
        f"{simulator.url}/control/clock/", json={"seconds": 1}, headers=headers
    )

    assert answer.status_code == status


def test_pages_are_strict_and_set_no_cookie(simulator, requester, worker):
    held = worker.accept(group_of(requester, publish(requester, MaxAssignments=2)))
    other = simulator.worker()
    of_other = f"/workers/{other.worker_id}"
    paths = [
        "/", "/control/", "/control/outbox/", f"/workers/{worker.worker_id}/history/",
        f"/workers/{worker.worker_id}/work/{held.mturk_assignment_id}/", f"{of_other}/",
        f"{of_other}/qualifications/", f"{of_other}/groups/{other.list_groups()[0].group_id}/",
    ]  # fmt: skip
    for path in paths:
        page = simulator.browser.get(simulator.url + path, headers=simulator.control_headers)
        policy = page.headers["content-security-policy"]
        assert page.status_code == 200, path
        assert "set-cookie" not in page.headers
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "<style" not in page.text
        assert " style=" not in page.text
        assert "<script>" not in page.text
        assert "rehearsal" in page.text
    refused = simulator.browser.get(f"{simulator.url}/mturk/externalSubmit")
    assert "frame-ancestors 'self'" in refused.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere/", 404),
        ("GET", "/workers/ANOBODY/", 404),
        ("GET", "/workers/", 405),
        ("GET", "/control/nowhere/", 404),
        ("POST", "/", 405),
        ("GET", "/../store.py", 404),
        ("GET", "/base.html", 404),
        ("GET", "/simulator.css", 200),
        ("GET", "/simulator.js", 200),
    ],
)
def test_addresses(simulator, method, path, status):
    answer = simulator.browser.request(
        method, simulator.url + path, headers=simulator.control_headers
    )
    assert answer.status_code == status


@pytest.mark.parametrize(
    "profile",
    [
        {"worker_id": "B1"},
        {"worker_id": "A" * 65},
        {"country": "USA"},
        {"subdivision": "N"},
        {"approval_rate": 0.5},
        {"approval_rate": 101},
        {"n_approved": -1},
        {"n_approved": "many"},
    ],
)
def test_invalid_workers_are_refused(simulator, profile):
    with pytest.raises(CrowdRefused):
        simulator.worker(**profile)

    assert simulator.control.state()["n_workers"] == 0


def test_worker_ids_are_taken_once(simulator):
    simulator.worker(worker_id="A1SAME")

    with pytest.raises(CrowdRefused, match="already"):
        simulator.worker(worker_id="A1SAME")


def test_unreadable_requests_are_refused(simulator):
    with socket.create_connection(simulator.url.removeprefix("http://").split(":")) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: much\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 413")
    assert simulator.control.state()["n_hits"] == 0
