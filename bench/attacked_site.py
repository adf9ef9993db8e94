"""A site to attack, with a separate folder and database, served as by `scripts/serve`."""

import atexit
import os
import re
import shutil
import signal
import sqlite3
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx
import psycopg
from serving import AS_SERVED, HOST, free_port, run, wait_for

REPOSITORY = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
STUDY, RESEARCHER = "attacked", "researcher"
SCOPES = ("studies:write", "runs:write", "webhooks:write")
WORDS = {"inspired_word1": "harvest", "inspired_word2": "moon"}
PATIENCE = 120.0  # seconds that an annotator waits for a page
# Without certificates, which no site here has: reading them takes longer than a request.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
HEADER = (
    "word1\tword2\tcontext1\tcontext2\t"
    "word1_context1\tword2_context1\tword1_context2\tword2_context2\n"
)


class Finding(NamedTuple):
    """A row of the table: the attack, the expected and the actual result."""

    row: str
    tried: str
    expected: str
    seen: str
    holds: bool


class AttackedSite:
    """A fresh site of this checkout, which writes to one folder only."""

    def __init__(self, folder: Path, database_url: str, **settings: str) -> None:
        self.folder = folder
        self.log = folder / "server.log"
        self.url = f"http://{HOST}:{free_port()}"
        (folder / "var").mkdir(parents=True, exist_ok=True)
        self.environment = {
            **os.environ,
            "ENV_FILE": os.devnull,
            "DATABASE_URL": database_url,
            "VAR_DIR": str(folder / "var"),
            "SITE_URL": self.url,
            **settings,
        }
        self._server: subprocess.Popen[bytes] | None = None

    @classmethod
    def prepare(cls, folder: Path, database_url: str, **settings: str) -> Self:
        """Return a site without studies; on SQLite it is a copy of the first one created."""
        site = cls(folder, database_url, **settings)
        if not database_url.startswith("sqlite"):
            site.manage("prepare_site", "--no-demo")
            return site
        first, database = _make_first(), Path(database_url.removeprefix("sqlite:///"))
        shutil.copytree(first.folder / "var", folder / "var", dirs_exist_ok=True)
        shutil.copy(first.folder / database.name, database)
        return site

    @property
    def process(self) -> int:
        """Return the process id of the server."""
        if self._server is None:
            raise SystemExit("The attacked site is not served.")
        return self._server.pid

    def manage(self, *words: str | Path) -> str:
        """Run a management command and return what it prints."""
        return run(
            sys.executable, "manage.py", *words, cwd=REPOSITORY, environment=self.environment
        )

    def script(self, name: str, *words: str) -> str:
        """Run a script of this folder inside the site and return what it prints."""
        return run(
            sys.executable, HERE / name, *words, cwd=REPOSITORY, environment=self.environment
        )

    def make_study(self, n_pairs: int, *, ratings: int, block_size: int) -> None:
        """Import a study of short texts and open it."""
        stimuli = self.folder / "data_en.tsv"
        stimuli.write_text(HEADER + "".join(map(_write_pair, range(n_pairs))), encoding="utf-8")
        self.manage(
            "import_stimuli", stimuli, "--study", STUDY, "--language", "en",
            "--ratings-per-context", str(ratings), "--block-size", str(block_size),
        )  # fmt: skip
        self.manage(
            "open_study", STUDY, "--organisation", "Benchmark", "--contact", "bench@example.org",
            "--consent-reviewed-by", "Benchmark",
        )  # fmt: skip

    def invite(self, count: int) -> list[str]:
        """Return that many new personal links."""
        return self.manage("invite_annotators", STUDY, "--count", str(count)).split()

    def make_token(self) -> str:
        """Return the key of a new token of the researcher."""
        scopes = [word for scope in SCOPES for word in ("--scope", scope)]
        return self.manage("make_token", RESEARCHER, "attack", *scopes).split()[-1]

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query, sent directly to the database."""
        url = self.environment["DATABASE_URL"]
        if url.startswith("sqlite"):
            with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=60)) as database:
                return database.execute(statement).fetchall()
        with psycopg.connect(url) as connection:
            return connection.execute(statement.encode()).fetchall()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve the site within the block."""
        self.start()
        try:
            yield
        finally:
            self.stop()

    def start(self) -> None:
        """Start the server; return once it answers."""
        port = int(self.url.rpartition(":")[2])
        command = AS_SERVED.command(Path(sys.executable), port, "annotation_site.wsgi:application")
        with self.log.open("a") as heard:
            self._server = subprocess.Popen(  # noqa: S603  (a command of our own)
                command, cwd=REPOSITORY, env=self.environment, stdout=heard, stderr=heard,
                start_new_session=True,
            )  # fmt: skip
        wait_for(self._server, self.url, self.log)

    def kill(self) -> None:
        """Kill every process of the server at once."""
        os.killpg(self.process, signal.SIGKILL)
        if self._server is not None:
            self._server.wait()

    def stop(self) -> None:
        """Stop the server, killing it if it does not exit."""
        if self._server is None or self._server.poll() is not None:
            return
        self._server.send_signal(signal.SIGTERM)
        try:
            self._server.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.kill()


def send_at_once(requests: list[Any]) -> list[httpx.Response]:
    """Call functions that send a request concurrently, and return the responses."""
    with ThreadPoolExecutor(len(requests)) as people:
        return [waiting.result() for waiting in [people.submit(one) for one in requests]]


def open_browser(patience: float = PATIENCE) -> httpx.Client:
    """Return a client of one annotator."""
    return httpx.Client(timeout=patience, trust_env=False, verify=NO_CERTIFICATES)


def read_consent(browser: httpx.Client, link: str) -> dict[str, str]:
    """Return the values that the welcome page's form sends on consent."""
    return {**dict(HIDDEN.findall(browser.get(link).text)), "answer": "agree"}


@cache
def _make_first() -> AttackedSite:
    """Create the SQLite site that others are copied from; it is deleted at exit."""
    folder = Path(tempfile.mkdtemp(prefix="cosima-attacked-"))
    atexit.register(shutil.rmtree, folder)
    first = AttackedSite(folder, f"sqlite:///{folder / 'site.sqlite3'}")
    first.manage("prepare_site", "--no-demo")
    return first


def _write_pair(number: int) -> str:
    one, two = f"alpha{number}", f"beta{number}"
    contexts = (
        f"Rain fell on <strong>{one}</strong> all day. Then <strong>{two}</strong> left.",
        f"Here lived <strong>{two}</strong> alone. There <strong>{one}</strong> lay.",
    )
    return "\t".join((one, two, *contexts, one, two, one, two)) + "\n"
