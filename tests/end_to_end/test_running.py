"""Runs in the background of a real site: in its own process, and by a worker behind Redis."""

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx
import pytest
import redis

from tests.conftest import lack
from tests.end_to_end.annotators import PATIENCE_SECONDS
from tests.end_to_end.site import ROOT, Site
from tests.factories.studies import QUICK, numbered_stimuli

pytestmark = pytest.mark.either_database  # test_background has runs on both

BROKER = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
SECONDS = 180


@pytest.fixture
def answered(site: Site, tmp_path) -> Site:
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(2))
    site.make_study(stimuli, "study", "--language", "en", "--ratings", "1")
    site.manage("rehearse_study", "study", "--base-url", site.url, "--annotators", "2")
    return site


def test_a_run_is_done_without_a_broker(answered: Site):
    assert run_recipe(answered) == "done"


def test_a_run_is_done_by_a_worker(answered: Site):
    try:
        redis.Redis.from_url(BROKER).ping()
    except redis.ConnectionError:
        lack("Redis")
    queue = f"test-{secrets.token_hex(4)}"
    answered.environment |= {"CELERY_BROKER_URL": BROKER, "CELERY_QUEUE": queue}
    answered.kill(signal.SIGTERM)
    answered.start()

    with working(answered):
        assert run_recipe(answered) == "done"


@contextmanager
def working(site: Site) -> Iterator[None]:
    """A Celery worker next to the site, started as documented."""
    command = [sys.executable, "-m", "celery", "-A", "annotation_site", "worker",
               "--concurrency", "1", "--loglevel", "warning"]  # fmt: skip
    worker = subprocess.Popen(command, cwd=ROOT, env=site.environment, start_new_session=True)
    try:
        yield
    finally:
        worker.terminate()
        worker.wait(timeout=60)


def run_recipe(site: Site) -> str:
    """Return how a run ends that a researcher requests in the console."""
    output = site.manage("add_researcher", "ana", "--study", "study")
    password = output.splitlines()[0].rpartition(" ")[2]
    with closing(
        httpx.Client(base_url=site.url, follow_redirects=True, timeout=PATIENCE_SECONDS)
    ) as browser:
        answer = post(browser, "/console/sign-in/", username="ana", password=password)
        assert answer.url.path == "/console/"
        post(browser, "/console/studies/study/results/", recipe=QUICK)
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            page = browser.get("/console/studies/study/runs/1/").text
            state = re.findall(r"State:(.*?)</p>", page, re.DOTALL)[0].strip()
            if state in ("done", "failed"):
                return str(state)
            time.sleep(0.2)
    raise AssertionError(f"the run is still {state} after {SECONDS} seconds")


def post(browser: httpx.Client, path: str, **answers: str) -> httpx.Response:
    token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(path).text)[0]
    return browser.post(path, data={**answers, "csrfmiddlewaretoken": token})
