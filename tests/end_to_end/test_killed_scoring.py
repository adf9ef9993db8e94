"""A site or a worker is killed around a submission: it is scored later, and once."""

import os
import re
import signal
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from django.conf import settings

from tests.end_to_end.annotators import PATIENCE_SECONDS
from tests.end_to_end.databases import fresh_database
from tests.end_to_end.site import Site, open_site
from tests.end_to_end.workers import SECONDS, wait_until, working
from tests.factories.sharedtasks import predictions, result_file

pytestmark = pytest.mark.every_database  # locks of a killed process are freed

FILES = [result_file(predictions(1), subtask) for subtask in (1, 2)]
# Prints the names of the files of a shared task, and the id of a session of a team's captain.
MADE = """
from datetime import timedelta
from django.utils import timezone
from tests.factories.clients import session_of
from tests.factories.sharedtasks import make_data, make_phase, make_shared_task, make_team
now = timezone.now()
times = {"opens_at": now - timedelta(days=1), "closes_at": now + timedelta(days=1)}
shared_task = make_shared_task(opened_at=now)
part = make_data(shared_task)
make_phase(shared_task, **times)
captain = make_team(shared_task).members.get().participant.user
print(part.data.path, part.gold.path, session_of(captain))
"""
SENT = """
from tests.factories.sharedtasks import result_file, predictions, send
from surveys.sharedtasks.models import Phase, Team
from django.utils import timezone
files = [result_file(predictions(1), subtask) for subtask in (1, 2)]
send(Team.objects.get(), Phase.objects.get(), files, now=timezone.now())
"""
SILENCE = "3"  # seconds after which a process counts as dead
LATER = """
from datetime import timedelta
from django.utils import timezone
from surveys.sharedtasks.retention.stray_files import drop_stray_files
print(drop_stray_files(timezone.now() + timedelta(days=2)))
"""
STATES = "SELECT number, state FROM sharedtasks_submission"
N_SCORES = "SELECT count(*) FROM sharedtasks_subtaskscore"
AWAITED = "SELECT count(*) FROM pg_locks WHERE NOT granted"
ENDED = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted"
COUNTED = "SELECT subtask, n_attempts FROM sharedtasks_countedsubmission ORDER BY subtask"
ONCE = [(1, "scored")], [(2,)], [(1, 1), (2, 1)]


class Made:
    """A site with a shared task, and a team that submits through its pages."""

    def __init__(self, site: Site) -> None:
        self.site = site
        printed = run_code(site, MADE).split()
        self.data, self.gold, self.session = Path(printed[0]), Path(printed[1]), printed[2]

    def check(self) -> str:
        """Have files checked, and return the address of the page with the outcome."""
        with self._browser() as browser:
            page = "/tasks/gwsc/team/submit/"
            files = [("results", file) for file in FILES]
            answer = browser.post(page, data=self._form(browser, page), files=files)
        assert answer.status_code == httpx.codes.FOUND
        return answer.headers["Location"]

    def submit(self) -> None:
        """Have files checked, and submit them."""
        page = self.check()
        with self._browser() as browser:
            answer = browser.post(page, data=self._form(browser, page))
        assert answer.headers["Location"] == "/tasks/gwsc/team/submissions/evaluation/1/"

    def _browser(self) -> httpx.Client:
        cookies = {"sessionid": self.session}
        return httpx.Client(base_url=self.site.url, cookies=cookies, timeout=PATIENCE_SECONDS)

    def _form(self, browser: httpx.Client, page: str) -> dict[str, str]:
        found = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(page).text)
        return {"csrfmiddlewaretoken": found[0], "phase": "evaluation"}


@pytest.fixture
def submitting(pristine: str, tmp_path: Path) -> Iterator[Made]:
    with open_site(pristine, tmp_path, JOB_SILENCE=SILENCE) as site:
        yield Made(site)


def test_what_a_killed_site_stored_is_scored_by_a_worker(pristine: str, tmp_path, broker: str):
    """With a broker the site itself scores nothing, and no worker is there."""
    with open_site(pristine, tmp_path, CELERY_BROKER_URL=broker) as site:
        Made(site).submit()
        site.kill(signal.SIGKILL)
        assert outcome_of(site) == ([(1, "stored")], [(0,)], [])

        with working(site):
            wait_until(lambda: outcome_of(site) == ONCE, lambda: outcome_of(site))

        assert perform_jobs(site) == "Jobs: 0."


def test_a_site_killed_while_it_reads_the_gold_is_followed_by_a_command(submitting: Made):
    with blocked(submitting.gold) as pipe:
        submitting.submit()
        pipe.wait_for_reader()
        submitting.site.kill(signal.SIGKILL)
        assert outcome_of(submitting.site) == ([(1, "stored")], [(0,)], [])

    wait_until(lambda: perform_jobs(submitting.site) == "Jobs: 1.")
    assert outcome_of(submitting.site) == ONCE


def test_a_site_killed_while_it_stores_scores_has_stored_none(submitting: Made):
    with blocked(submitting.gold) as pipe:
        submitting.submit()
        pipe.wait_for_reader()
        with locked(submitting.site, "sharedtasks_countedsubmission") as is_awaited:
            pipe.let_read()
            wait_until(is_awaited)
            submitting.site.kill(signal.SIGKILL)
    assert outcome_of(submitting.site) == ([(1, "stored")], [(0,)], [])

    submitting.site.start()  # and it looks for what waits

    wait_until(lambda: outcome_of(submitting.site) == ONCE, lambda: outcome_of(submitting.site))
    assert perform_jobs(submitting.site) == "Jobs: 0."


def test_a_worker_killed_in_the_middle_is_followed_by_the_next(pristine, tmp_path, broker):
    with fresh_database(settings.DATABASES["default"], tmp_path, copy_of=pristine) as database:
        site = Site(tmp_path, database, CELERY_BROKER_URL=broker, JOB_SILENCE=SILENCE)
        made = Made(site)  # which serves nothing
        run_code(site, SENT)
        with blocked(made.gold) as pipe, working(site) as worker:
            pipe.wait_for_reader()
            os.killpg(worker.pid, signal.SIGKILL)
            worker.join(timeout=SECONDS)
            assert not worker.is_alive()
        assert outcome_of(site) == ([(1, "stored")], [(0,)], [])

        with working(site):
            wait_until(lambda: outcome_of(site) == ONCE, lambda: outcome_of(site))


def test_a_file_without_a_row_is_deleted_after_a_day(submitting: Made):
    site, folder = submitting.site, submitting.data.parent
    before = set(folder.iterdir())
    with ThreadPoolExecutor(1) as other, blocked(submitting.data) as pipe:
        asked = other.submit(submitting.check)
        pipe.wait_for_reader()
        with locked(site, "sharedtasks_upload"):
            pipe.let_read()
            wait_until(lambda: len(list_new(folder, before)) == 1)
            site.kill(signal.SIGKILL)
        with pytest.raises(httpx.TransportError):
            asked.result()
    assert site.query("SELECT count(*) FROM sharedtasks_upload") == [(0,)]
    left = list_new(folder, before)

    site.manage("drop_personal_data")
    assert list_new(folder, before) == left  # its row may still come
    assert run_code(site, LATER).split() == ["1"]

    assert set(folder.iterdir()) == before


def list_new(folder: Path, before: set[Path]) -> set[Path]:
    return set(folder.iterdir()) - before


def outcome_of(site: Site) -> tuple[list[tuple[object, ...]], ...]:
    return site.query(STATES), site.query(N_SCORES), site.query(COUNTED)


def perform_jobs(site: Site) -> str:
    """Perform due jobs in a process of its own; return what it says."""
    return site.manage("do_background_work").strip()


def run_code(site: Site, code: str) -> str:
    return site.manage("shell", "--no-imports", "-c", code)


class Pipe:
    """A pipe in the place of a file: who opens it waits until its content is written."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path, self.content = path, content
        self._writer = -1

    def wait_for_reader(self) -> None:
        wait_until(self._open)

    def let_read(self) -> None:
        """Write the content, and wait until it was read to its end."""
        os.write(self._writer, self.content)  # less than a pipe holds
        self.close()
        wait_until(lambda: not self._has_reader())

    def close(self) -> None:
        if self._writer >= 0:
            os.close(self._writer)
        self._writer = -1

    def _open(self) -> bool:
        """Open it for writing; False if nobody reads."""
        try:
            self._writer = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        return True

    def _has_reader(self) -> bool:
        is_read = self._open()
        self.close()  # or the reader would not find the end
        return is_read


@contextmanager
def blocked(path: Path) -> Iterator[Pipe]:
    """Put a pipe in the place of a file meanwhile."""
    away = path.parents[1] / "away"
    path.rename(away)
    os.mkfifo(path, 0o600)
    pipe = Pipe(path, away.read_bytes())
    try:
        yield pipe
    finally:
        pipe.close()
        away.rename(path)


@contextmanager
def locked(site: Site, table: str) -> Iterator[Callable[[], bool]]:
    """Let nobody write into a table meanwhile; in SQLite into none.

    Yield a function that says whether anybody waits for it; in SQLite nobody can know. PostgreSQL
    would still perform a statement that waits after its client was killed, so it is ended.
    """
    url = site.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        path = url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            yield lambda: True
        return
    with psycopg.connect(url) as connection:
        connection.execute(f"LOCK TABLE {table} IN SHARE MODE")
        yield lambda: site.query(AWAITED) != [(0,)]
        site.query(ENDED)
        wait_until(lambda: site.query(AWAITED) == [(0,)])
