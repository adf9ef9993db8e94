"""Check that a backup under load has all acknowledged answers, and measure its cost.

    .venv/bin/python bench/backups.py
    .venv/bin/python bench/backups.py --cluster postgres://postgres@127.0.0.1:5432 --annotators 40

Annotators answer a fresh site without pausing; meanwhile `backup` runs and, on SQLite, the bare
database file is copied, which is not a valid backup. Each is restored into an empty site and
searched for the pages acknowledged before it began. `missing` of a backup must be 0.
"""

import argparse
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import psycopg
from databases import fresh_database, is_postgres
from serving import AS_SERVED, HOST, free_port, run, serving

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
STUDY = "study"
N_PAIRS = 100  # in one block: enough pages for a long load
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
STORED = (
    "SELECT a.token, r.position FROM surveys_response r "
    "JOIN surveys_assignment a ON a.id = r.assignment_id WHERE r.rating IS NOT NULL"
)
COLUMNS = ("database", "copy", "acknowledged before", "meanwhile", "restored", "missing", "s", "MB",
           "s to restore")  # fmt: skip
Page = tuple[str, int]


class Copy(NamedTuple):
    """Result of a copy of a site under load, in megabytes of a million bytes."""

    kind: str
    n_acknowledged: int
    n_meanwhile: int
    n_restored: int
    n_missing: int
    seconds: float
    megabytes: float
    restore_seconds: float

    def cells(self, database: str) -> list[str]:
        """Return a line of the table."""
        counts = (self.n_acknowledged, self.n_meanwhile, self.n_restored, self.n_missing)
        figures = (self.seconds, self.megabytes, self.restore_seconds)
        return [database, self.kind, *map(str, counts), *(f"{figure:.1f}" for figure in figures)]


def manage(environment: dict[str, str], *words: str | Path) -> str:
    """Return what a command of the site prints."""
    return run(sys.executable, "manage.py", *words, cwd=REPOSITORY, environment=environment)


class Load:
    """Annotators who answer concurrently, and their acknowledged ratings."""

    def __init__(self, url: str, links: list[str]) -> None:
        self.acknowledged: list[Page] = []
        self.n_in_all = len(links) * N_PAIRS
        self.threads = [threading.Thread(target=self._answer, args=(url, one)) for one in links]
        for thread in self.threads:
            thread.start()

    def wait_for(self, share: float) -> set[Page]:
        """Wait until a share of all ratings is acknowledged; return the acknowledged ones."""
        while len(self.acknowledged) < share * self.n_in_all:
            if not any(thread.is_alive() for thread in self.threads):
                raise SystemExit("The load ended too early.")
            time.sleep(0.01)
        return set(self.acknowledged)

    def end(self) -> None:
        """Wait until all annotators have finished."""
        for thread in self.threads:
            thread.join()

    def _answer(self, url: str, link: str) -> None:
        with httpx.Client(base_url=url, trust_env=False, timeout=120) as browser:
            agreed = dict(HIDDEN.findall(browser.get(link).text)) | {"answer": "agree"}
            survey = browser.post(link, data=agreed).headers["location"]
            for step in ("instructions/", "practice/answer/?item=2"):
                browser.post(survey + step)
            token = survey.rstrip("/").rpartition("/")[2]
            words = {"inspired_word1": "moon", "inspired_word2": "sea"}
            for position in range(1, N_PAIRS + 1):
                browser.post(f"{survey}{position}/words/", data=words)
                if browser.post(f"{survey}{position}/rating/", data={"rating": "3"}).is_redirect:
                    self.acknowledged.append((token, position))


def stored_pages(url: str) -> set[Page]:
    """Return the ratings, read directly from the database."""
    if is_postgres(url):
        with psycopg.connect(url) as connection:
            return {(str(token), int(n)) for token, n in connection.execute(STORED)}
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        return set(database.execute(STORED))


@contextmanager
def empty_site(folder: Path, kind: str, cluster: str) -> Iterator[dict[str, str]]:
    """Yield the environment of an empty site."""
    folder.mkdir()
    with fresh_database(kind, folder, cluster) as url:
        yield {**os.environ, "DATABASE_URL": url, "VAR_DIR": str(folder), "ENV_FILE": os.devnull}


def write_stimuli(path: Path) -> None:
    """Write a stimuli file of pairs with two contexts each."""
    names = ("word1", "word2", "context1", "context2", "word1_context1", "word2_context1",
             "word1_context2", "word2_context2")  # fmt: skip
    lines = ["\t".join(names)]
    for n in range(N_PAIRS):
        words = (f"alpha{n}", f"beta{n}")
        texts = [
            f"The <strong>{words[0]}</strong> met the <strong>{words[1]}</strong> in place {n}{m}."
            for m in "ab"
        ]
        lines.append("\t".join([*words, *texts, *words, *words]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def try_backup(load: Load, environment: dict[str, str], kind: str, cluster: str) -> Copy:
    """Back up the site under load, and restore the backup into an empty site."""
    var = Path(environment["VAR_DIR"])
    file, before = var / "backup.tar.gz", load.wait_for(0.15)
    begun = time.perf_counter()
    manage(environment, "backup", file)
    seconds = time.perf_counter() - begun
    n_meanwhile = len(load.acknowledged) - len(before)
    with empty_site(var / "restored", kind, cluster) as restored:
        begun = time.perf_counter()
        manage(restored, "restore", file)
        restore_seconds = time.perf_counter() - begun
        manage(restored, "migrate", "--check")
        found = stored_pages(restored["DATABASE_URL"])
    counts = (len(before), n_meanwhile, len(found), len(before - found))
    return Copy("backup", *counts, seconds, file.stat().st_size / 1e6, restore_seconds)


def try_bare_file(load: Load, environment: dict[str, str]) -> Copy:
    """Copy SQLite's file without its write-ahead log, as if that were a backup."""
    source = Path(environment["DATABASE_URL"].removeprefix("sqlite:///"))
    copy, before = source.with_name("bare.sqlite3"), load.wait_for(0.1)
    begun = time.perf_counter()
    shutil.copyfile(source, copy)
    seconds = time.perf_counter() - begun
    found = stored_pages(f"sqlite:///{copy}")
    counts = (len(before), 0, len(found), len(before - found))
    return Copy("bare file", *counts, seconds, copy.stat().st_size / 1e6, 0)


def measure(kind: str, cluster: str, n_annotators: int) -> list[Copy]:
    """Measure each kind of copy of one site under load."""
    with (
        tempfile.TemporaryDirectory() as made,
        empty_site(Path(made, "site"), kind, cluster) as env,
    ):
        port = free_port()
        environment = {**env, "SITE_URL": f"http://{HOST}:{port}"}
        stimuli = Path(made, "data_en.tsv")
        write_stimuli(stimuli)
        manage(environment, "migrate", "--verbosity", "0")
        manage(environment, "collectstatic", "--noinput", "--verbosity", "0")
        wanted = ["--block-size", str(N_PAIRS), "--ratings-per-context", str(n_annotators)]
        manage(
            environment, "import_stimuli", stimuli, "--study", STUDY, "--language", "en", *wanted
        )
        manage(environment, "open_study", STUDY, "--organisation", "Bench", "--contact",
               "bench@example.org", "--consent-reviewed-by", "bench")  # fmt: skip
        links = manage(environment, "invite_annotators", STUDY, "--count", str(n_annotators))
        command = AS_SERVED.command(Path(sys.executable), port, "annotation_site.wsgi:application")
        with serving(command, cwd=REPOSITORY, environment=environment,
                     url=environment["SITE_URL"], log=Path(made, "server.log")):  # fmt: skip
            load = Load(environment["SITE_URL"], links.split())
            copies = [try_bare_file(load, environment)] if kind == "sqlite" else []
            copies.append(try_backup(load, environment, kind, cluster))
            load.end()
    return copies


def main() -> None:
    """Measure and print a table; exit with 1 if a backup lacks acknowledged ratings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--annotators", type=int, default=20)
    add("--cluster", help="PostgreSQL too, such as postgres://postgres@127.0.0.1:5432")
    options = parser.parse_args()
    lines, is_complete = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"], True
    for database, kind in (("SQLite", "sqlite"), ("PostgreSQL", "pg")):
        if kind == "pg" and not options.cluster:
            continue
        for copy in measure(kind, options.cluster or "", options.annotators):
            lines.append(f"| {' | '.join(copy.cells(database))} |")
            is_complete = is_complete and not (copy.kind == "backup" and copy.n_missing)
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(not is_complete)


if __name__ == "__main__":
    main()
