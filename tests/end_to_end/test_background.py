"""Background jobs are done in the end, whatever happens to the broker and the processes."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import redis

from tests.conftest import lack
from tests.end_to_end.annotators import PATIENCE_SECONDS
from tests.end_to_end.network import Cable
from tests.end_to_end.site import ROOT, Site
from tests.end_to_end.test_running import BROKER, post
from tests.factories.studies import QUICK, numbered_stimuli

SECONDS = 120  # more than anything here takes on a busy machine
SILENCE = "10"  # seconds after which a process counts as dead
STATE = "SELECT state, n_deaths FROM surveys_run"
ASK = f"""
from surveys.models import Study
from surveys.results.runs import request_results
request_results(Study.objects.get(), {QUICK!r}, None)
"""
LISTEN = """
from surveys.models import Study
from surveys.access.webhooks import add_webhook
add_webhook(Study.objects.get(), "{url}", ["assignment.finished"])
"""


@pytest.fixture
def study(site: Site, tmp_path) -> Site:
    """A site with a study of which nothing is answered."""
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(2))
    site.make_study(stimuli, "study", "--language", "en", "--ratings", "1")
    return site


@pytest.fixture
def answered(study: Site) -> Site:
    """A site with a study that is answered, on which a process is soon counted as dead."""
    rehearse(study)
    restart(study, RUN_SILENCE=SILENCE)
    return study


@pytest.fixture
def queue() -> str:
    try:
        redis.Redis.from_url(BROKER).ping()
    except redis.ConnectionError:
        lack("Redis")
    return f"test-{secrets.token_hex(4)}"


@pytest.mark.either_database
@pytest.mark.parametrize("fail", [Cable.hang, Cable.cut])
def test_nobody_waits_for_a_broker_and_all_is_done_when_it_is_back(
    study: Site, queue: str, fail: Callable[[Cable], None]
):
    parts = urlsplit(BROKER)
    with Cable(parts.port or 6379, parts.hostname or "127.0.0.1") as cable, listening() as heard:
        broker = f"redis://127.0.0.1:{cable.port}{parts.path}"
        restart(study, CELERY_BROKER_URL=broker, CELERY_QUEUE=queue, WEBHOOK_HOSTS="127.0.0.1")
        study.manage("shell", "-c", LISTEN.format(url=heard.url))
        fail(cable)

        rehearse(study)
        with signed_in(study) as browser:
            asked = post(browser, "/console/studies/study/results/", recipe=QUICK)
            review = post(browser, "/console/studies/study/review/")
            health = browser.get("/readyz")

        assert (asked.status_code, review.status_code) == (200, 200)
        assert (health.status_code, health.json()["status"]) == (200, "degraded")
        assert health.json()["checks"]["broker"] == "away"
        assert (study.query(STATE), heard.events) == ([("waiting", 0)], [])
        cable.mend()
        with working(study):
            wait_for(study, ("done", 0))
            wait_until(lambda: heard.events == ["assignment.finished"] * 2)


@pytest.mark.either_database  # on each of them the run that is killed twice is enough
def test_a_killed_run_is_tried_again_by_itself(answered: Site):
    ask_and_wait_until_it_runs(answered)
    answered.kill(signal.SIGKILL)
    assert answered.query(STATE) == [("running", 0)]

    answered.start()

    wait_for(answered, ("done", 1))


def test_a_run_that_is_killed_twice_has_failed(answered: Site):
    ask_and_wait_until_it_runs(answered)
    answered.kill(signal.SIGKILL)
    answered.start()
    wait_for(answered, ("running", 1))
    answered.kill(signal.SIGKILL)

    answered.start()

    wait_for(answered, ("failed", 1))
    (error,) = answered.query("SELECT error FROM surveys_run")[0]
    assert "twice" in error


@pytest.mark.either_database
def test_a_server_that_is_told_to_end_gives_its_run_back(answered: Site):
    ask_and_wait_until_it_runs(answered)

    answered.kill(signal.SIGTERM)

    assert answered.query(STATE) == [("waiting", 0)]
    answered.start()
    wait_for(answered, ("done", 0))


@pytest.mark.parametrize(
    ("how", "n_deaths"),
    [(signal.SIGKILL, 1), pytest.param(signal.SIGTERM, 0, marks=pytest.mark.either_database)],
)
def test_the_run_of_a_worker_that_ends_is_done_by_the_next(
    answered: Site, queue: str, how: signal.Signals, n_deaths: int
):
    restart(answered, CELERY_BROKER_URL=BROKER, CELERY_QUEUE=queue)
    with working(answered) as worker:
        ask_and_wait_until_it_runs(answered)
        os.killpg(worker.pid, how)
        worker.wait(timeout=SECONDS)

    with working(answered):
        wait_for(answered, ("done", n_deaths))


def rehearse(site: Site) -> None:
    site.manage("rehearse_study", "study", "--base-url", site.url, "--annotators", "2")


def restart(site: Site, **changed: str) -> None:
    site.environment |= changed
    site.kill(signal.SIGTERM)
    site.start()


def ask_and_wait_until_it_runs(site: Site) -> None:
    """Store a run in a process that ends at once: whatever finds it performs it."""
    site.manage("shell", "-c", ASK)
    wait_for(site, ("running", 0))


def wait_for(site: Site, wanted: tuple[str, int]) -> None:
    wait_until(
        lambda: site.query(STATE) == [wanted], lambda: site.query("SELECT * FROM surveys_run")
    )


def wait_until(is_so: Callable[[], bool], tell: Callable[[], object] = lambda: "") -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"it does not happen: {tell()}"
        time.sleep(0.02)


@contextmanager
def working(site: Site) -> "Iterator[subprocess.Popen[bytes]]":
    """A Celery worker next to the site, in its own process group."""
    command = [sys.executable, "-m", "celery", "-A", "annotation_site", "worker",
               "--concurrency", "1", "--loglevel", "warning"]  # fmt: skip
    with subprocess.Popen(
        command, cwd=ROOT, env=site.environment, start_new_session=True
    ) as worker:
        try:
            yield worker
        finally:
            worker.terminate()
            try:
                worker.wait(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(worker.pid, signal.SIGKILL)


@contextmanager
def signed_in(site: Site) -> Iterator[httpx.Client]:
    output = site.manage("add_researcher", "ana", "--study", "study")
    password = output.splitlines()[0].rpartition(" ")[2]
    with httpx.Client(
        base_url=site.url, follow_redirects=True, timeout=PATIENCE_SECONDS
    ) as browser:
        post(browser, "/console/sign-in/", username="ana", password=password)
        yield browser


class Listener(HTTPServer):
    """A webhook endpoint that keeps the messages that it gets."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hook)
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        self.events: list[Any] = []


class Hook(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.events.append(json.loads(body)["event"])
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def listening() -> Iterator[Listener]:
    with Listener() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
