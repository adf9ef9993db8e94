"""Background jobs are done in the end, whatever happens to the broker and the processes."""

import json
import os
import re
import secrets
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from tests.end_to_end.annotators import PATIENCE_SECONDS
from tests.end_to_end.databases import fresh_database
from tests.end_to_end.network import Cable
from tests.end_to_end.site import Site, open_site
from tests.end_to_end.workers import SECONDS, wait_until, working
from tests.factories.studies import QUICK

SILENCE = "10"  # seconds after which a process counts as dead
STATE = "SELECT state, n_deaths FROM surveys_job WHERE id IN (SELECT job_id FROM surveys_run)"
MADE = """
from django.contrib.auth.models import User
from django.db import transaction
from surveys.access.roles import grant_role
from surveys.webhooks.messages import add_webhook
from surveys.models import Role, Study
from surveys.results.runs import request_results
from tests.factories.studies import QUICK, finish, make_study, start
with transaction.atomic():
    study = make_study(2, ratings_per_context=1)
"""
ANSWERED = f"""{MADE}
    for _ in range(2):
        finish(start(study))
"""
ASKED = f"""{ANSWERED}
    request_results(study, QUICK, None)
"""
LISTENED_TO = f"""{MADE}
    grant_role(study, User.objects.create_user("ana", password="{{password}}"), Role.RESEARCHER)
    add_webhook(study, "{{url}}", ["assignment.finished"])
"""


def test_nobody_waits_for_a_broker_and_all_is_done_when_it_is_back(
    pristine: str, tmp_path, broker: str
):
    parts = urlsplit(broker)
    with Cable(parts.port or 6379, parts.hostname or "127.0.0.1") as cable, listening() as heard:
        url = f"redis://127.0.0.1:{cable.port}{parts.path}"
        behind = {"CELERY_BROKER_URL": url, "WEBHOOK_HOSTS": "127.0.0.1"}
        with open_site(pristine, tmp_path, **behind) as site:
            password = secrets.token_urlsafe()
            run_code(site, LISTENED_TO.format(url=heard.url, password=password))
            with signed_in(site, password) as browser:
                for fail in (cable.hang, cable.cut):
                    fail()
                    rehearse(site)
                    ask_for_jobs_and_wait_for_none(browser)

            assert (site.query(STATE), heard.events) == ([("waiting", 0)] * 2, [])
            cable.mend()
            with working(site):
                wait_for(site, *[("done", 0)] * 2)
                wait_until(lambda: heard.events == ["assignment.finished"] * 2)


def test_a_run_outlives_its_server_unless_it_is_killed_twice(pristine: str, tmp_path):
    with open_site(pristine, tmp_path, JOB_SILENCE=SILENCE) as site:
        run_code(site, ASKED)
        wait_for(site, ("running", 0))
        site.kill(signal.SIGTERM)
        assert site.query(STATE) == [("waiting", 0)]

        for n_deaths in (0, 1):
            site.start()
            wait_for(site, ("running", n_deaths))
            site.kill(signal.SIGKILL)
            assert site.query(STATE) == [("running", n_deaths)]

        site.start()
        wait_for(site, ("failed", 1))
        (error,) = site.query("SELECT error FROM surveys_job")[0]
        assert "twice" in error


def test_the_job_process_gives_its_run_back_when_all_processes_that_ask_it_were_killed(
    pristine: str, tmp_path
):
    with open_site(pristine, tmp_path, 2) as site:
        launcher = site.server.pid
        run_code(site, ASKED)
        wait_for(site, ("running", 0))
        parents = list_processes(launcher)
        (job_process,) = [
            pid for pid, parent in parents.items() if parent in {*parents} - {launcher}
        ]

        workers = {*parents} - {launcher, job_process, parents[job_process]}
        for pid in (launcher, *workers):  # the launcher would replace them
            os.kill(pid, signal.SIGKILL)

        wait_until(lambda: list_processes(launcher) == {})
        assert site.query(STATE) == [("waiting", 0)]


def test_a_site_whose_keeper_was_killed_stops_with_a_message_when_a_job_is_due(
    pristine: str, tmp_path
):
    """`scripts/serve` then starts it again; it would never do a job any more."""
    with open_site(pristine, tmp_path, 2, JOB_SILENCE=SILENCE) as site:
        launcher = site.server.pid
        keeper, *_ = sorted(list_processes(launcher).keys() - {launcher})
        os.kill(keeper, signal.SIGKILL)
        run_code(site, ASKED)

        wait_until(lambda: list_processes(launcher) == {})
        assert "the keeper of the job process has ended" in site.log.read_text()
        assert site.query(STATE) == [("waiting", 0)]


def test_the_run_of_a_worker_that_ends_is_done_by_the_next(pristine: str, tmp_path, broker: str):
    with fresh_database(settings.DATABASES["default"], tmp_path, copy_of=pristine) as database:
        site = Site(  # which serves nothing
            tmp_path, database, CELERY_BROKER_URL=broker, JOB_SILENCE=SILENCE
        )
        run_code(site, ASKED)

        for how, left in ((signal.SIGTERM, "waiting"), (signal.SIGKILL, "running")):
            with working(site) as worker:
                wait_for(site, ("running", 0))
                os.killpg(worker.pid, how)
                worker.join(timeout=SECONDS)
                assert not worker.is_alive()
            assert site.query(STATE) == [(left, 0)]

        with working(site):
            wait_for(site, ("done", 1))


def list_processes(session: int) -> dict[int, int]:
    """The processes of a session that run, each with its parent."""
    command = ["ps", "-o", "pid=,ppid=,stat=", "--sid", str(session)]
    listed = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in listed]
    return {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}


def run_code(site: Site, code: str) -> None:
    site.manage("shell", "--no-imports", "-c", code)


def rehearse(site: Site) -> None:
    site.manage("rehearse_study", "study", "--base-url", site.url, "--annotators", "1")


def ask_for_jobs_and_wait_for_none(browser: httpx.Client) -> None:
    asked = post(browser, "/console/studies/study/results/toml/", recipe=QUICK)
    review = post(browser, "/console/studies/study/review/")

    assert (asked.status_code, review.status_code) == (200, 200)
    wait_until(lambda: browser.get("/readyz").json()["checks"]["broker"] == "away")
    health = browser.get("/readyz")
    assert (health.status_code, health.json()["status"]) == (200, "degraded")


def wait_for(site: Site, *wanted: tuple[str, int]) -> None:
    wait_until(
        lambda: site.query(STATE) == [*wanted], lambda: site.query("SELECT * FROM surveys_job")
    )


@contextmanager
def signed_in(site: Site, password: str) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=site.url, follow_redirects=True, timeout=PATIENCE_SECONDS
    ) as browser:
        post(browser, "/console/sign-in/", username="ana", password=password)
        yield browser


def post(browser: httpx.Client, path: str, **answers: str) -> httpx.Response:
    token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(path).text)[0]
    return browser.post(path, data={**answers, "csrfmiddlewaretoken": token})


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
