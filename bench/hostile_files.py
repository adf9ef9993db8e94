"""Measure hostile stimuli files, which are slow to read, and how long imports block others.

    .venv/bin/python bench/hostile_files.py
    .venv/bin/python bench/hostile_files.py --repository ../before --limit 30

First, files of 4 MB, the maximum upload: CPU seconds until each is read or refused, and the
number of pairs and findings. A file that takes longer than the limit is aborted.

Then, on a fresh site on SQLite, a study of 4 MB through the API (dry run and import) and through
the console, by Django's test client, while another process commits a row every 10 ms, as annotators
do: seconds of the request, and how long the others waited, median, 95th percentile and worst.
"""

import argparse
import multiprocessing
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from serving import run

REPOSITORY = Path(__file__).resolve().parent.parent
SIZE = 4_000_000  # bytes
PAUSE = 0.01  # seconds between two rows of the others
HEADER = (
    "word1\tword2\tcontext1\tcontext2\t"
    "word1_context1\tword2_context1\tword1_context2\tword2_context2\n"
)
READ = """
import resource, sys
from postprocess.formats.stimuli import parse_stimuli
data = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF)
parsed = parse_stimuli(data)
after = resource.getrusage(resource.RUSAGE_SELF)
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(seconds, len(parsed.pairs), len(parsed.findings))
"""


class Waits(NamedTuple):
    """Milliseconds that others waited for their commits during an action."""

    seconds: float
    median: float
    p95: float
    worst: float


def fill_file(make: Callable[[int], str]) -> bytes:
    """Return a file of rows up to the maximum size."""
    rows, n_bytes = [HEADER], len(HEADER)
    while True:
        row = make(len(rows))
        n_bytes += len(row.encode())
        if n_bytes > SIZE:
            return "".join(rows).encode()
        rows.append(row)


def write_row(number: int, word1: str, word2: str, rest: str) -> str:
    """Return a row whose contexts mark both words, followed by some text."""
    contexts = [
        f"{number}.{n} says <strong>{word1}</strong> and <strong>{word2}</strong>. {rest}"
        for n in (1, 2)
    ]
    return "\t".join((word1, word2, *contexts, *(word1, word2) * 2)) + "\n"


def make_files() -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of slow files."""
    rng = random.Random(15)  # noqa: S311  # nosec B311

    def word(n_letters: int) -> str:
        return "".join(rng.choices("ab", k=n_letters))

    plain = "It goes on for a while. " * 4
    texts = {
        "ordinary": plain,
        "full stops": "." * 19_000 + "x",
        "full stops and quotes": '."' * 9_000 + "x",
        "full stops and spaces": (".\N{NO-BREAK SPACE}" + " " * 999) * 19 + "x",
        "combining marks": "a" + "\u0300\u0323" * 9_000,
        "combining marks by thirties": ("a" + "\u0300\u0323" * 15) * 600,
        "words within words": "xicex" * 3_800,
        "parts of words": " xice" * 3_800,
    }
    for name, text in texts.items():
        yield name, fill_file(lambda n, text=text: write_row(n, "ice", "water", text))  # type: ignore[misc]
    yield "full stops, one text", (HEADER + write_row(1, "ice", "water", "." * 1_900_000)).encode()
    for n in (50, 100, 8_000):
        yield (
            f"words of {n:,} letters",
            fill_file(lambda i, n=n: write_row(i, f"{word(n)}c", f"{word(n)}d", "A. B.")),  # type: ignore[misc]
        )
    marks = "".join(f"<strong>x{n}</strong>" for n in range(800))
    yield "marks", fill_file(lambda n: write_row(n, "ice", "water", marks))
    yield "short rows", fill_file(lambda n: write_row(n, "a", "b", "c"))
    yield "empty fields", (HEADER + "\t\t\t\t\t\t\tx\n" * 400_000).encode()
    yield "rows of a letter", (HEADER + "a\n" * 1_990_000).encode()
    yield "line breaks", (HEADER + "\n" * 3_990_000 + "a").encode()
    yield "columns", ("\t".join(f"c{n}" for n in range(500_000))).encode()
    yield "no UTF-8", HEADER.encode() + b"\xff\n" * 1_990_000


def read_file(data: bytes, repository: Path, limit: int) -> str:
    """Return seconds, pairs and findings of a file, read in a separate process."""
    done = subprocess.run(  # noqa: S603  # nosec B603
        [sys.executable, "-c", READ],
        input=data,
        capture_output=True,
        check=False,
        cwd=repository,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    if done.returncode:
        return f"> {limit} | – | –"
    seconds, n_pairs, n_findings = done.stdout.split()
    return f"{float(seconds):.2f} | {int(n_pairs):,} | {int(n_findings):,}"


def commit_rows(path: str, stop: Event, waits: Any) -> None:
    """Commit rows repeatedly, as answers are, and send back the time of each."""
    with sqlite3.connect(path, timeout=120, isolation_level=None) as database:
        database.execute("PRAGMA synchronous=FULL")
        while not stop.is_set():
            started = time.perf_counter()
            database.execute("BEGIN IMMEDIATE")
            database.execute("UPDATE bench SET n = n + 1")
            database.execute("COMMIT")
            waits.append(1000 * (time.perf_counter() - started))
            time.sleep(PAUSE)


def measure_waits(path: str, act: Callable[[], object]) -> Waits:
    """Perform an action while others commit rows; return their waits."""
    with multiprocessing.Manager() as manager:
        waits, stop = manager.list(), multiprocessing.Event()
        others = multiprocessing.Process(target=commit_rows, args=(path, stop, waits))
        others.start()
        while not waits:
            time.sleep(PAUSE)
        n_before, started = len(waits), time.perf_counter()
        act()
        seconds = time.perf_counter() - started
        stop.set()
        others.join()
        found = list(waits)[n_before:]
    return Waits(seconds, median(found), quantiles(found, n=20)[-1], max(found))


def import_studies() -> None:
    """Import a large study by API and console into the site of this process's environment."""
    import django

    sys.path.insert(0, str(Path.cwd()))
    os.environ["DJANGO_SETTINGS_MODULE"] = "annotation_site.settings"
    django.setup()
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.db import connection
    from django.test import Client

    from surveys.access.api_tokens import SCOPES, make_token

    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = None  # for commits before the API had a separate limit
    user = User.objects.create_superuser("bench")
    _, key = make_token(user, "bench", list(SCOPES))
    program = Client(SERVER_NAME="127.0.0.1", headers={"Authorization": f"Bearer {key}"})
    browser = Client(SERVER_NAME="127.0.0.1")
    browser.force_login(user)
    browser.get("/console/")
    data = fill_file(lambda n: write_row(n, f"ice{n}", f"water{n}", "It goes on for a while. " * 3))
    asked = {"language": "en", "ratings_per_context": 11, "stimuli": data.decode()}
    path = str(settings.DATABASES["default"]["NAME"])

    def by_api(**more: object) -> None:
        answer = program.post(
            "/api/v1/studies/", {**asked, **more}, content_type="application/json"
        )
        if answer.status_code not in (200, 201):
            raise SystemExit(f"the API: {answer.status_code} {answer.content[:200]!r}")

    def by_console() -> None:
        file = SimpleUploadedFile("data.tsv", data)
        sent = {"title": "console", "slug": "console", "language": "en", "file": file}
        answer = browser.post("/console/new/", sent)
        if answer.status_code != 302:
            raise SystemExit(f"the console: {answer.status_code}")

    connection.cursor().execute("CREATE TABLE bench (n integer)")
    connection.cursor().execute("INSERT INTO bench VALUES (0)")
    doors: dict[str, Callable[[], object]] = {
        "nothing, for 3 s": lambda: time.sleep(3),
        "API, dry run": lambda: by_api(slug="dry", dry_run=True),
        "API, import": lambda: by_api(slug="api"),
        "console, import": by_console,
    }
    for name, act in doors.items():
        w = measure_waits(path, act)
        figures = f"{w.seconds:.1f} | {w.median:.0f} | {w.p95:.0f} | {w.worst:.0f}"
        sys.stdout.write(f"| {name} | {figures} |\n")
        sys.stdout.flush()
    sys.stdout.write(f"\nThe study has {data.count(bytes([10])) - 1:,} rows.\n")


def main() -> None:
    """Print a table of the files, and one of the interfaces."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--repository", type=Path, default=REPOSITORY, help="another checkout, to compare with")
    add("--limit", type=int, default=60, help="CPU seconds that a file may take")
    add("--only", choices=["files", "doors"], help="one of the two tables")
    add("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        import_studies()
        return
    sys.stdout.write(f"Load average before: {os.getloadavg()[0]:.2f}\n\n")
    if options.only != "doors":
        sys.stdout.write("| file of 4 MB | s | pairs | findings |\n| --- | ---: | ---: | ---: |\n")
        for name, data in make_files():
            figures = read_file(data[:SIZE], options.repository, options.limit)
            sys.stdout.write(f"| {name} | {figures} |\n")
            sys.stdout.flush()
    if options.only != "files":
        head = "| | request, s | others p50, ms | p95 | worst |"
        sys.stdout.write(f"\n{head}\n| --- | ---: | ---: | ---: | ---: |\n")
        sys.stdout.flush()
        with tempfile.TemporaryDirectory() as folder:
            environment = {
                **os.environ, "VAR_DIR": folder, "ENV_FILE": os.devnull,
                "DATABASE_URL": f"sqlite:///{folder}/site.sqlite3",
                "SITE_URL": "http://127.0.0.1:8000",
            }  # fmt: skip
            for words in (("migrate",), ("collectstatic", "--noinput")):
                arguments = sys.executable, "manage.py", *words, "--verbosity", "0"
                run(*arguments, cwd=options.repository, environment=environment)
            own = sys.executable, __file__, "--inside"
            sys.stdout.write(run(*own, cwd=options.repository, environment=environment))


if __name__ == "__main__":
    main()
