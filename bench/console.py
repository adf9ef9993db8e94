"""Measure how long each page of the console takes when many responses are stored.

    .venv/bin/python bench/console.py --cluster postgres://postgres@127.0.0.1:5432
    .venv/bin/python bench/console.py --sizes 10000

Each size has a fresh site with that many responses in the measured study (20,000 pairs in
1000 blocks) and as many in other studies. Pages are requested through the WSGI application's
middleware and views, by Django's test client: no network. Printed are the median after a first
visit, and the CPU time of a page, which other work on the machine changes little.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import django
from databases import fresh_database, settle
from django.apps import apps
from django.db import connection
from filling import STUDY, fill
from serving import run

REPOSITORY = Path(__file__).resolve().parent.parent
DATABASES = {"sqlite": "SQLite", "pg": "PostgreSQL"}
MAX_MILLISECONDS = 200  # milliseconds that a page may take


class Visit(NamedTuple):
    """Time of a page: first visit, median of later visits, and queries.

    `cpu` is the CPU time of a later visit, including the database: about the page's time on an
    idle machine.
    """

    first: float
    later: float
    cpu: float
    n_queries: int


def list_pages(study: Any) -> Iterator[tuple[str, str]]:
    """Yield names and addresses of a study's pages, expensive ones included."""
    start = f"/console/studies/{study.slug}/"
    finished = study.assignments.filter(state="submitted").select_related("annotator")
    annotator = finished.order_by("-pk").first().annotator
    link = study.invitations.order_by("-pk").first()
    texts = f"{start}preview/texts/{study.pairs.first().contexts.first().pk}/"
    yield from {
        "studies": "/console/",
        "new study": "/console/new/",
        "tokens": "/console/tokens/",
        "overview": start,
        "stimuli": f"{start}stimuli/",
        "stimuli, last page": f"{start}stimuli/?page=9999",
        "stimuli, by word": f"{start}stimuli/?word=alpha19",
        "checkpoint items": f"{start}stimuli/checkpoints/",
        "design": f"{start}design/",
        "a text": f"{start}design/texts/consent/",
        "opening": f"{start}open/",
        "preview, page 1 of a text": f"{texts}words/",
        "preview, page 2": f"{texts}rating/",
        "recruitment": f"{start}recruitment/",
        "recruitment, finished": f"{start}recruitment/?state=submitted",
        "recruitment, by note": f"{start}recruitment/?note=ana&through=all",
        "a link": f"{start}recruitment/links/{link.pk}/",
        "make links": f"{start}recruitment/invite/",
        "an open link": f"{start}recruitment/open-link/",
        "Prolific": f"{start}recruitment/prolific/",
        "batches": f"{start}recruitment/batches/",
        "plan a batch": f"{start}recruitment/batches/new/",
        "collection": f"{start}collection/",
        "collection, last page": f"{start}collection/?page=9999",
        "a block": f"{start}collection/blocks/2/",
        "repeat a block": f"{start}collection/blocks/2/repeat/",
        "annotators": f"{start}collection/annotators/",
        "annotators, by state": f"{start}collection/annotators/?state=submitted",
        "annotators, last page": f"{start}collection/annotators/?page=99999",
        "an annotator": f"{start}collection/annotators/{annotator.code}/",
        "a context": f"{start}collection/contexts/1/1/",
        "review, while answers come in": f"{start}review/",
        "review, more answers": f"{start}review/more/",
        "review, whole questionnaires": f"{start}review/questionnaires/",
        "review, disputes": f"{start}review/disputes/",
        "review, agreement": f"{start}review/agreement/",
        "review, settings": f"{start}review/settings/",
        "results": f"{start}results/",
        "release": f"{start}release/",
        "answers as a file": f"{start}errands/",
        "people": f"{start}people/",
        "privacy": f"{start}privacy/",
        "a person": f"{start}collection/annotators/{annotator.code}/person/",
        "erase a person": f"{start}collection/annotators/{annotator.code}/person/erase/",
        "find a person": f"{start}privacy/find/",
        "log": f"{start}log/",
    }.items()


def measure(n_visits: int) -> dict[str, Visit]:
    """Visit the pages of a filled site."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    study = apps.get_model("surveys", "Study").objects.get(slug=STUDY)
    client, found = Client(SERVER_NAME="127.0.0.1"), {}
    client.force_login(User.objects.create_superuser(f"bench{time.time_ns()}"))
    client.get("/console/")  # warm-up: loads modules and templates
    for name, address in list_pages(study):
        taken, cpu = [], []
        for _ in range(1 + n_visits):
            cpu_before, started = cpu_seconds(), time.perf_counter()
            answer = client.get(address)
            taken.append(1000 * (time.perf_counter() - started))
            cpu.append(1000 * (cpu_seconds() - cpu_before))
            if answer.status_code != 200:
                raise SystemExit(f"{name}: {answer.status_code} from {address}")
            wait_for_threads()
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        wait_for_threads()
        found[name] = Visit(taken[0], median(taken[1:]), mean(cpu[1:]), len(queries))
    return found


def wait_for_threads() -> None:
    """Wait for the background jobs of a page, so that the next page is measured alone."""
    for thread in threading.enumerate():
        if thread.name.startswith("job-"):
            thread.join()


def cpu_seconds() -> float:
    """Return the CPU time of this thread and its PostgreSQL backend on this machine.

    Background jobs of a page are not included.
    """
    own = time.thread_time()
    if connection.vendor != "postgresql":
        return own
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        fields = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text().rpartition(")")[2].split()
    return own + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def act(action: str, number: int) -> None:
    """Fill or measure the site of this process's environment."""
    sys.path.insert(0, str(REPOSITORY))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    django.setup()
    if action == "measure":
        sys.stdout.write(json.dumps(measure(number)))
        return
    fill(2 * number)
    responses = apps.get_model("surveys", "Response").objects
    sys.stdout.write(str(responses.filter(annotator__study__slug=STUDY).count()))


def compare(kind: str, options: argparse.Namespace) -> str:
    """Fill a site for each size, visit its pages, and write a table."""
    found: dict[int, dict[str, Visit]] = {}
    for size in options.sizes:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder)))
            url = stack.enter_context(fresh_database(kind, folder, options.cluster))
            environment = {
                **os.environ, "DATABASE_URL": url, "VAR_DIR": str(folder),
                "SITE_URL": "http://127.0.0.1:8000", "ENV_FILE": os.devnull,
            }  # fmt: skip
            for words in (("migrate",), ("collectstatic", "--noinput")):
                arguments = sys.executable, "manage.py", *words, "--verbosity", "0"
                run(*arguments, cwd=REPOSITORY, environment=environment)
            own = sys.executable, __file__, "--inside"
            n = run(*own, "fill", str(size), cwd=REPOSITORY, environment=environment)
            settle(url)
            visits = str(options.visits)
            output = run(*own, "measure", visits, cwd=REPOSITORY, environment=environment)
            pages = {name: Visit(*figures) for name, figures in json.loads(output).items()}
            found[int(n)] = pages
    return write_table(DATABASES[kind], found)


def write_table(database: str, found: Mapping[int, Mapping[str, Visit]]) -> str:
    """Return a row per page: for each size the median, CPU time and number of queries."""
    sizes = sorted(found)
    lines = [[database, *(f"{size:,}" for size in sizes)], ["---", *["---:"] * len(sizes)]]
    for name in found[sizes[0]]:
        cells = []
        for visit in (found[size][name] for size in sizes):
            mark = " **!**" if visit.later > MAX_MILLISECONDS else ""
            cells.append(f"{visit.later:.0f} ({visit.cpu:.0f}; {visit.n_queries}){mark}")
        lines.append([name, *cells])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Measure and print a table for each database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--sizes", type=int, nargs="+", default=[10_000, 1_000_000], help="responses of the study")
    add("--databases", nargs="+", choices=DATABASES, help="default: sqlite, and pg with --cluster")
    add("--cluster", help="PostgreSQL too, such as postgres://postgres@127.0.0.1:5432")
    add("--visits", type=int, default=9, help="of each page, after the first")
    add("--folder", type=Path, help="where the sites are; a million responses take 1 GB")
    add("--inside", nargs=2, metavar=("ACTION", "NUMBER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        act(options.inside[0], int(options.inside[1]))
        return
    sys.stdout.write(f"Load average before: {os.getloadavg()[0]:.2f}\n\n")
    sys.stdout.write("Milliseconds: median (CPU; queries)\n\n")
    for kind in options.databases or (["sqlite", "pg"] if options.cluster else ["sqlite"]):
        sys.stdout.write(f"{compare(kind, options)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
